"""Runs tailgate for a case, and keeps what it wrote."""

import contextlib
import dataclasses
import json
import re
import shutil
import subprocess
import time

from . import beside

ENTER_GROUP = 'echo $$ > "$0" && exec "$@"'
LONGEST_S = 300
LONGEST_END_S = 20
INTERRUPTED = 130


@dataclasses.dataclass(frozen=True)
class Effort:
    """How long a duet takes: its own rounds are short, the traced ones are what counts."""
    rounds: int = 3
    turns: int = 15
    explain_s: float = 30  # as after a gate that failed

    def options(self, case):
        return ["--rounds", str(self.rounds), "--long-rounds", "0",
                "--turns", str(min(self.turns, case.turns or self.turns)),
                "--explain", "--explain-s", f"{case.explain_s or self.explain_s:g}"]


def with_options(sink, options):
    return f"{sink}:{options}" if options else sink


def settings(case):
    return [word for name, value in case.settings.items() for word in ("--set", f"{name}={value}")]


def preset_of(case):
    """A preset's text that has the case's actions."""
    lines = ['description = "a case of ci/causes"', 'scenario = "steady"']
    for action in case.actions:
        lines += ["[[action]]", *(f"{name} = {json.dumps(value)}"
                                  for name, value in action.items())]
    return "\n".join(lines) + "\n"


def explained_run(sink, out):
    """The words of a run of one explained trial."""
    load, other = beside.processors()
    return ["--sink", sink, "--trials", "1", "--explain", "--no-control",
            "--load-cpus", str(load), "--controller-cpus", str(other), "--consumer-cpus",
            str(other), "--out", str(out)]


def end(process):
    """Asks tailgate to end, so that it ends its own processes first; kills it if it does not."""
    process.terminate()
    try:
        process.wait(timeout=LONGEST_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Bench:
    """Where the results lie, and how they are made."""

    def __init__(self, program, out, effort):
        self.program, self.out, self.effort = program, out, effort

    def folder(self, slug):
        return self.out / "cases" / slug

    def words(self, case):
        folder = self.folder(case.slug)
        if case.kind == "duet":
            return ["duet", with_options(case.sink, case.a), with_options(case.sink, case.b),
                    *settings(case), *self.effort.options(case),
                    "--out", str(folder / "duet.json")]
        scenario = str(folder / "preset.toml") if case.actions else "steady"
        syncs = case.beside.get("do") == "sync"
        # What stands beside the trial would make the machine look busy before it.
        return ["run", scenario, *settings(case), *explained_run(case.sink, folder),
                "--noise-s", "0",
                *(["--scratch", str(folder / beside.JOURNAL)] if syncs else [])]

    def measure(self, case):
        """Runs the case, unless the same command has been run. Returns whether it had to."""
        if case.actions and self.record(case.slug).get("words") != self.words(case):
            self.clear(case.slug)
            (self.folder(case.slug) / "preset.toml").write_text(preset_of(case), encoding="utf-8")
        return self.run(case.slug, self.words(case),
                        lambda: beside.around(case, self.folder(case.slug)))

    @staticmethod
    def share_slug(sink, number):
        return re.sub(r"[^0-9a-z]+", "-", f"share-{number}-{sink}")

    def measure_share(self, sink, number, load):
        slug = self.share_slug(sink, number)
        loads = [word for name, value in load.items() for word in ("--set", f"{name}={value}")]
        words = ["run", "steady", *loads, *explained_run(sink, self.folder(slug))]
        self.run(slug, words, contextlib.nullcontext)

    def record(self, slug):
        """What the case's run left: words, exit, cannot, seconds; nothing: it has not run."""
        path = self.folder(slug) / "record.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    def clear(self, slug):
        shutil.rmtree(self.folder(slug), ignore_errors=True)
        self.folder(slug).mkdir(parents=True)

    def run(self, slug, words, context):
        if self.record(slug).get("words") == words:
            return False
        folder = self.folder(slug)
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.json"):
            old.unlink()
        began = time.monotonic()
        record = {"words": words}
        try:
            with context() as groups:
                record["exit"] = self.call(words, groups or [], folder / "log")
        except beside.Cannot as reason:
            record["cannot"] = str(reason)
        record["seconds"] = round(time.monotonic() - began, 1)
        (folder / "record.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        return True

    def call(self, words, groups, log):
        """The exit code. KeyboardInterrupt, if the user ended it."""
        command = [str(self.program), *words, "--quiet"]
        for group in groups:
            command = ["sh", "-c", ENTER_GROUP, str(group), *command]
        with open(log, "w", encoding="utf-8") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT)
            try:
                code = process.wait(timeout=LONGEST_S)
            except BaseException:
                end(process)
                raise
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        return code

    def result(self, slug):
        """The duet or result that the case's run wrote; None: none."""
        files = [path for path in self.folder(slug).glob("*.json") if path.name != "record.json"]
        return json.loads(files[0].read_text(encoding="utf-8")) if files else None

    def first_line_of_log(self, slug):
        path = self.folder(slug) / "log"
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        return text.strip().splitlines()[0] if text.strip() else ""


def available(program, sinks):
    """Sink -> why it is not available here; None: it is."""
    listed = subprocess.run([str(program), "sinks"], check=True, capture_output=True, text=True)
    here = {words[0] for line in listed.stdout.splitlines()
            if len(words := line.split()) > 1 and words[1] == "yes"}
    return {sink: None if sink.split(":")[0] in here else "'tailgate sinks' says why"
            for sink in sinks}
