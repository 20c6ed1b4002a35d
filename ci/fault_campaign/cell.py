"""One run of tailgate with a fault, and what came of it."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from . import processes

LOAD = {"rate_hz": 20000, "duration_s": 0.6, "warmup_s": 0, "trials": 1}
FAULT_AFTER_S = 0.2  # from when the load runs
LONGEST_S = 60
# Outcomes that a table of expectations may name.
SAID = ("balanced", "lost", "unaccounted", "unchecked", "refused", "ended")


class Cell:
    """A run with its folders. Before the start a fault may change what is run, and how."""

    def __init__(self, program, sink, place):
        self.program, self.sink, self.place = program, sink, Path(place)
        self.out, self.scratch = self.place / "out", self.place / "scratch"
        self.elsewhere = self.place / "elsewhere"  # for results that --out cannot take
        self.scratch.mkdir()
        self.elsewhere.mkdir()
        self.scenario, self.settings = "steady", dict(LOAD)
        self.prefix = []  # a command that starts the program
        self.output = self.errors = None  # where standard output and error go instead of to us
        self.unheard = False
        self.process = None
        self.names = {}  # of every process that was seen, by (pid, start time)
        self.undo = []  # called after the run, in reverse order

    def command(self, out):
        settings = [word for name, value in self.settings.items()
                    for word in ("--set", f"{name}={value}")]
        return [str(self.program), "run", self.scenario, "--sink", self.sink, *settings,
                "--no-control", "--quiet", "--noise-s", "0", "--hang-timeout-s", "4", "--out",
                str(out), "--scratch", str(self.scratch)]

    def start(self):
        with open(self.place / "errors", "wb") as errors:
            self.process = subprocess.Popen(
                [*self.prefix, *self.command(self.out)], stdin=subprocess.DEVNULL,
                stdout=self.output or subprocess.DEVNULL, stderr=self.errors or errors,
                start_new_session=True, env={**os.environ, "TAILGATE_SCRATCH": str(self.elsewhere)})

    @property
    def known(self):
        return [(pid, start, name) for (pid, start), name in self.names.items()]

    def see_processes(self):
        """A role has its name only some moments after its start; the last one counts."""
        for pid, start, name in processes.descendants(self.process.pid):
            self.names[pid, start] = name
        return self.known

    def wait_for_load(self):
        """Whether the load runs. False: the run ended first."""
        deadline = time.monotonic() + LONGEST_S
        while self.process.poll() is None and time.monotonic() < deadline:
            for pid, _, _ in processes.of_role(self.see_processes(), "provider"):
                if processes.has_busy_thread(pid):
                    time.sleep(FAULT_AFTER_S)
                    self.see_processes()
                    return self.process.poll() is None
            time.sleep(0.01)
        return False

    def role(self, name):
        return processes.of_role(self.known, name)

    def send(self, name, number):
        if name == "controller":
            self.process.send_signal(number)
        else:
            processes.send(self.role(name), number)

    def event_files(self):
        """The files in the trial's folder that hold events, the largest first."""
        files = [path for path in self.scratch.rglob("*") if path.is_file()
                 and not path.is_symlink() and path.stat().st_size > 4096]
        return sorted(files, key=lambda path: -path.stat().st_size)

    def wait(self):
        """The exit code; None: the run did not end by itself."""
        try:
            code = self.process.wait(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        return code

    def error_text(self):
        """None: the fault keeps it from anybody."""
        path = self.place / "errors"
        return None if self.unheard else path.read_text(errors="replace")

    def results(self):
        files = sorted(self.out.glob("*.json")) if self.out.is_dir() else []
        files = list(self.elsewhere.glob("*/*.json")) or files
        return [json.loads(path.read_text()) for path in files]


def ledger_outcome(ledger, exit_code):
    """What a trial's ledger says, or what is wrong with it."""
    if not ledger["checked"]:
        if exit_code == 0:
            return "unchecked and passed", ""
        cause = ledger.get("unchecked_cause", "")
        return ("unchecked", cause) if cause else ("unchecked without a cause", "")
    counts = [ledger[name] for name in ("emitted", "delivered", "lost")]
    if min(counts) < 0 or counts[0] != counts[1] + counts[2] + ledger["unaccounted"]:
        return "does not add up", str(ledger)
    if ledger["unaccounted"] < 0:
        return "less than nothing unaccounted", str(ledger["unaccounted"])
    if ledger["unaccounted"] > 0:
        if exit_code == 0:
            return "unaccounted and passed", ""
        cause = ledger["unaccounted_cause"]
        return ("unaccounted", cause) if cause else ("unaccounted without a cause", "")
    if ledger["lost"] > 0:
        return "lost", ", ".join(sorted({loss["cause"] for loss in ledger["losses"]}))
    return "balanced", ""


def outcome(exit_code, results, errors, ended_by_us):
    """One of SAID, or what is wrong; and what the run said about it. errors: its standard error;
    None: nobody could read it.
    """
    silent = errors is not None and not errors.strip()
    errors = errors or ""
    if exit_code is None:
        return "did not end", ""
    if "bug in tailgate" in errors:
        return "called a bug", errors.strip()
    if ended_by_us and exit_code in (-signal.SIGKILL, 128 + signal.SIGKILL):
        wrong = [result for result in results if result["complete"]]
        return ("complete though killed", "") if wrong else ("ended", "")
    if exit_code < 0:
        return f"crashed by signal {-exit_code}", errors.strip()
    trials = [trial for result in results for trial in result["trials"]]
    if not trials:
        if exit_code == 0:
            return "nothing measured and passed", ""
        return ("refused silently", "") if silent else ("refused", first_line(errors))
    if exit_code == 0 and any(trial["outcome"] != "completed" for trial in trials):
        return "incomplete and passed", trials[-1]["outcome"]
    trial = trials[-1]
    # A sink or a role that could not start has emitted nothing.
    if trial["outcome"] != "completed" and trial["ledger"]["emitted"] == 0:
        return "refused", trial["outcome_detail"]
    said, why = ledger_outcome(trial["ledger"], exit_code)
    return said, why or (trial["outcome_detail"] if trial["outcome"] != "completed" else "")


def first_line(text):
    return text.strip().splitlines()[0] if text.strip() else ""


def leftovers(cell):
    """What is left of the run in its folders."""
    left = [path.name for path in cell.scratch.iterdir()] if cell.scratch.is_dir() else []
    if cell.out.is_dir():
        left += [path.name for path in cell.out.iterdir() if path.suffix != ".json"]
    return left


def sweep(cell):
    """What any next run does first."""
    subprocess.run([str(cell.program), "run", "max", "--sink", "null", "--set", "events=10",
                    "--trials", "1", "--no-control", "--quiet", "--out", str(cell.place / "next"),
                    "--scratch", str(cell.scratch)], check=True, timeout=LONGEST_S,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def run(program, sink, fault):
    """Runs one cell. Returns (outcome, what the run said)."""
    place = Path(tempfile.mkdtemp(prefix="tailgate-faults-", dir="/var/tmp"))
    os.chmod(place, 0o755)
    cell = Cell(program, sink, place)
    try:
        if fault.before:
            fault.before(cell)
        cell.start()
        if fault.during and cell.wait_for_load():
            fault.during(cell)
        said, why = outcome(cell.wait(), cell.results(), cell.error_text(), fault.kills_controller)
        if left := processes.wait_until_ended(cell.known, 20):
            return "left processes", ", ".join(sorted({name for _, _, name in left}))
        for undo in reversed(cell.undo):
            undo()
        cell.undo.clear()
        if fault.kills_controller:
            sweep(cell)
        if not fault.removes_scratch and (left := leftovers(cell)):
            return "left files", ", ".join(left)
        return said, why
    finally:
        processes.wait_until_ended(cell.known, 0)
        for undo in reversed(cell.undo):
            undo()
        shutil.rmtree(place, ignore_errors=True)
