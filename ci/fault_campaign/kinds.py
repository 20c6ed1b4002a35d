"""The faults. Each is a function that is called before a run starts or while its load runs."""

import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import time
from typing import Callable, Optional

NOBODY = 65534
PAUSE_S = 0.2


@dataclasses.dataclass
class Fault:
    name: str
    before: Optional[Callable] = None
    during: Optional[Callable] = None
    kills_controller: bool = False
    removes_scratch: bool = False
    needs_root: bool = False
    needs: str = ""  # the role without which the fault means nothing


def signal_to(role, number):
    return lambda cell: cell.send(role, number)


def pause(role):
    def stop_and_continue(cell):
        cell.send(role, signal.SIGSTOP)
        time.sleep(PAUSE_S)
        cell.send(role, signal.SIGCONT)
    return stop_and_continue


def limit(text):
    """A limit of the shell's ulimit, for the program and all that it starts."""
    def set_limit(cell):
        cell.prefix = ["bash", "-c", f'ulimit {text}; exec "$@"', "bash"]
    return set_limit


def interrupt_all(cell):
    os.killpg(cell.process.pid, signal.SIGINT)


def small_disk(cell):
    """The scratch folder is a memory file system of 1 MB, of which the load fills more."""
    mount(cell, "tmpfs", "size=1m")
    cell.settings["payload"] = 512


def read_only_scratch(cell):
    mount(cell, "tmpfs", "ro")


def mount(cell, kind, options):
    subprocess.run(["mount", "-t", kind, "-o", options, kind, str(cell.scratch)], check=True)
    cell.undo.append(lambda: subprocess.run(["umount", "-l", str(cell.scratch)], check=True))


def remove_scratch(cell):
    for path in cell.scratch.iterdir():
        shutil.rmtree(path, ignore_errors=True)


def remove_events(cell):
    for path in cell.event_files():
        path.unlink(missing_ok=True)


def cut_events(cell):
    """Cuts the largest file to half."""
    for path in cell.event_files()[:1]:
        os.truncate(path, path.stat().st_size // 2)


def damage_events(cell):
    """Writes 64 bytes into the middle of what the consumer has not read yet of the largest file."""
    cell.send("consumer", signal.SIGSTOP)
    for path in cell.event_files()[:1]:
        read_bytes = path.stat().st_size
        time.sleep(PAUSE_S)
        written_bytes = path.stat().st_size
        if written_bytes == read_bytes:  # made in its full length at the start
            read_bytes = 0
        with open(path, "r+b") as file:
            file.seek((read_bytes + written_bytes) // 2)
            file.write(bytes(range(128, 192)))
    cell.send("consumer", signal.SIGCONT)


def block_out(cell):
    cell.out.touch()
    cell.undo.append(lambda: cell.out.unlink())


def remove_out(cell):
    shutil.rmtree(cell.out, ignore_errors=True)


def full_streams(cell):
    cell.output = cell.errors = open("/dev/full", "wb")
    cell.undo.append(cell.output.close)
    cell.unheard = True


def closed_streams(cell):
    cell.prefix = ["bash", "-c", 'exec "$@" >&- 2>&-', "bash"]
    cell.unheard = True


def other_user(cell):
    for folder in (cell.place, cell.scratch, cell.elsewhere):
        os.chown(folder, NOBODY, NOBODY)
    cell.prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def user_namespace(cell):
    cell.prefix = ["unshare", "--user", "--map-root-user"]


def overload(cell):
    """Four threads as fast as they can."""
    cell.scenario = "max"
    del cell.settings["rate_hz"]
    cell.settings["threads"] = 4


def busy_machine(cell):
    """Two processes that compute without end beside the run."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]

    def end():
        for burner in burners:
            burner.kill()
            burner.wait()
    cell.undo.append(end)


def twin(cell):
    """The same run at the same time, in its own folder."""
    folder = cell.place / "twin"
    folder.mkdir()
    process = subprocess.Popen(
        cell.command(folder / "out"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    cell.undo.append(lambda: process.wait(timeout=60))


FAULTS = [
    Fault("none"),
    Fault("provider killed", during=signal_to("provider", signal.SIGKILL)),
    Fault("provider crashes", during=signal_to("provider", signal.SIGSEGV)),
    Fault("provider terminated", during=signal_to("provider", signal.SIGTERM)),
    Fault("provider pauses", during=pause("provider")),
    Fault("provider stops for good", during=signal_to("provider", signal.SIGSTOP)),
    Fault("consumer killed", during=signal_to("consumer", signal.SIGKILL), needs="consumer"),
    Fault("consumer pauses", during=pause("consumer"), needs="consumer"),
    Fault("consumer stops for good", during=signal_to("consumer", signal.SIGSTOP),
          needs="consumer"),
    Fault("daemons killed", during=signal_to("daemons", signal.SIGKILL), needs="daemons"),
    Fault("daemons terminated", during=signal_to("daemons", signal.SIGTERM), needs="daemons"),
    Fault("daemons pause", during=pause("daemons"), needs="daemons"),
    Fault("daemons stop for good", during=signal_to("daemons", signal.SIGSTOP), needs="daemons"),
    Fault("namespace holder killed", during=signal_to("holder", signal.SIGKILL), needs="holder"),
    Fault("controller killed", during=signal_to("controller", signal.SIGKILL),
          kills_controller=True),
    Fault("controller interrupted", during=signal_to("controller", signal.SIGINT)),
    Fault("terminal interrupts all", during=interrupt_all),
    Fault("terminal hangs up", during=signal_to("controller", signal.SIGHUP)),
    Fault("controller terminated", during=signal_to("controller", signal.SIGTERM)),
    Fault("controller pauses", during=pause("controller")),
    Fault("disk of the scratch is full", before=small_disk, needs_root=True, removes_scratch=True),
    Fault("scratch is read-only", before=read_only_scratch, needs_root=True, removes_scratch=True),
    Fault("scratch removed", during=remove_scratch, removes_scratch=True),
    Fault("event files removed", during=remove_events),
    Fault("event file cut", during=cut_events),
    Fault("event file damaged", during=damage_events),
    Fault("few descriptors", before=limit("-n 20")),
    Fault("small files", before=limit("-f 100")),
    Fault("little memory", before=limit("-v 300000")),
    Fault("no place for results", before=block_out),
    Fault("place of results removed", during=remove_out),
    Fault("streams full", before=full_streams),
    Fault("streams closed", before=closed_streams),
    Fault("other user", before=other_user, needs_root=True),
    Fault("user namespace", before=user_namespace),
    Fault("four threads at full speed", before=overload),
    Fault("busy machine", before=busy_machine),
    Fault("the same run beside it", before=twin),
]
