"""The processes of a run: who they are, and whether they have ended."""

import os
import signal
import time
from pathlib import Path

ROLES = ("tg-provider", "tg-consumer", "tailgate-holder")  # the others are the sink's daemons


def _stat(pid):
    """Name, state, parent and start time, from /proc/PID/stat (proc(5)); None: no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    name, fields = text.split("(", 1)[1].rsplit(")", 1)
    fields = fields.split()
    return name, fields[0], int(fields[1]), int(fields[19])


def descendants(root):
    """(pid, start time, name) of every process below root."""
    children = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (stat := _stat(int(entry.name))):
            children.setdefault(stat[2], []).append((int(entry.name), stat[3], stat[0]))
    found, waiting = [], [root]
    while waiting:
        for process in children.get(waiting.pop(), []):
            found.append(process)
            waiting.append(process[0])
    return found


def running(processes):
    """Those that have not ended."""
    left = []
    for pid, start, name in processes:
        stat = _stat(pid)
        if stat and stat[3] == start and stat[1] not in "ZX":
            left.append((pid, start, name))
    return left


def of_role(processes, role):
    """provider, consumer, holder or daemons."""
    if role == "daemons":
        return [process for process in processes if process[2] not in ROLES]
    wanted = {"provider": "tg-provider", "consumer": "tg-consumer", "holder": "tailgate-holder"}
    return [process for process in processes if process[2] == wanted[role]]


def has_busy_thread(pid):
    """Whether a thread besides the first has used 2 ms of processor time: a load. The threads of a
    sink that waits for events use less.
    """
    threads = Path(f"/proc/{pid}/task")
    try:
        used_ns = [int((thread / "schedstat").read_text(encoding="ascii").split()[0])
                   for thread in threads.iterdir() if int(thread.name) != pid]
    except OSError:  # the process, or a thread, has just ended
        return False
    return any(ns > 2_000_000 for ns in used_ns)


def send(processes, number):
    for pid, _, _ in running(processes):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def wait_until_ended(processes, seconds):
    """Those that are still there after so long; they are then killed."""
    deadline = time.monotonic() + seconds
    while (left := running(processes)) and time.monotonic() < deadline:
        time.sleep(0.05)
    send(left, signal.SIGKILL)
    return left
