"""What runs beside a trial: a processor hog, a neighbour that syncs, a limit of memory."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

HOG_RUNS_S, HOG_SLEEPS_S = 0.02, 0.08
HOG_NICENESS = -20  # the highest; at 0, Linux lets a thread that wakes up interrupt the hog
SYNC_BYTES = 1 << 20
JOURNAL_BYTES = 300 << 20  # of the file system in which a neighbour syncs
JOURNAL = "journal"        # where it is mounted, in a case's folder
GROUPS = Path("/sys/fs/cgroup")


class Cannot(Exception):
    """This machine cannot do it; the message says why."""


def processors():
    """The processor of the load, and one of all else; the same where there is only one."""
    mine = sorted(os.sched_getaffinity(0))
    return mine[-1], mine[0]


def hog():
    """Has the processor for some milliseconds, and again, so that the load keeps its rate."""
    while True:
        until = time.monotonic() + HOG_RUNS_S
        while time.monotonic() < until:
            pass
        time.sleep(HOG_SLEEPS_S)


def sync_again_and_again(folder):
    """Writes the file anew each time, so that the journal has something to commit."""
    data = bytes(SYNC_BYTES)
    while True:
        with open(Path(folder) / "neighbour", "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


@contextlib.contextmanager
def process(what, processor, folder):
    """A process of this file; its name is what an explanation has to name."""
    command = [sys.executable, "-B", __file__, what, str(processor), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as neighbour:
        try:
            yield []
        finally:
            neighbour.kill()
            neighbour.wait()


def call(*command):
    """Runs the command. Cannot, with what it said, where that fails."""
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except OSError as error:
        raise Cannot(f"{command[0]}: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout).strip().splitlines() or ["no message"]
        raise Cannot(f"{command[0]}: {said[-1]}") from None


@contextlib.contextmanager
def journal(folder):
    """Mounts a new ext4 with a journal, in which files that are synced wait for each other. Not
    every machine's own file system has one."""
    image, place = folder / "journal.ext4", folder / JOURNAL
    place.mkdir()
    with open(image, "wb") as file:
        file.truncate(JOURNAL_BYTES)
    try:
        call("mkfs.ext4", "-q", "-F", str(image))
        call("mount", "-o", "loop", str(image), str(place))
        try:
            yield place
        finally:
            call("umount", str(place))
    finally:
        image.unlink()
        place.rmdir()


@contextlib.contextmanager
def syncing(processor, folder):
    with journal(folder) as place, process("sync", processor, place) as groups:
        yield groups


@contextlib.contextmanager
def memory_group(limit_bytes):
    """A memory group with that limit. Yields what a child has to write its pid into."""
    group = GROUPS / f"tailgate-causes-{os.getpid()}"
    limit = "memory.max"
    if not (GROUPS / "cgroup.controllers").is_file():  # control groups of version 1
        group = GROUPS / "memory" / group.name
        limit = "memory.limit_in_bytes"
    try:
        group.mkdir()
        try:
            (group / limit).write_text(f"{limit_bytes}\n", encoding="ascii")
            yield [group / "cgroup.procs"]
        finally:
            remove(group)
    except OSError as error:
        raise Cannot(f"no memory group: {error.filename}: {error.strerror}") from None


def remove(group):
    """A group is busy for a moment after its last process has ended."""
    for _ in range(50):
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.1)
    group.rmdir()


def around(case, folder):
    """The context in which the case's trial runs. Cannot, where this machine has it not."""
    wanted = case.beside
    if not wanted:
        return contextlib.nullcontext([])
    if wanted["do"] == "memory":
        return memory_group(wanted["limit_bytes"])
    load, other = processors()
    if load == other:
        raise Cannot("this needs two processors")
    processor = load if wanted["on"] == "load" else other
    if wanted["do"] == "sync":
        return syncing(processor, folder)
    return process(wanted["do"], processor, folder)


def main(what, processor, folder):
    os.sched_setaffinity(0, {int(processor)})
    Path("/proc/self/comm").write_text(f"planted-{what}", encoding="ascii")
    if what == "hog":
        os.setpriority(os.PRIO_PROCESS, 0, HOG_NICENESS)
        hog()
    sync_again_and_again(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
