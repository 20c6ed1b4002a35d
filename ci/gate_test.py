"""Tests of ci/gate and ci/nightly on a clone whose program a stand-in for CMake builds: the "build"
is a script that gives prepared answers and records its calls. What the program itself does with two
revisions is tested in harness/cli/gate_revisions_test.py.
"""

import fcntl
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parent

# `cmake --preset release …` and `cmake --build --preset release --target tailgate`.
CMAKE = """#!/bin/bash
echo "cmake $*" >>"$CALLS"
[ "$1" = --build ] || exit 0
grep -q does-not-compile program && { echo 'error: expected ;'; exit 1; }
mkdir -p build/release && cp program build/release/tailgate && chmod +x build/release/tailgate
"""

# Answers for tailgate. The file ANSWERS/NAME holds the exit code of what NAME stands for.
PROGRAM = """#!/bin/bash
echo "$@" >>"$CALLS"
answer() { cat "$ANSWERS/$1" 2>/dev/null || echo "$2"; }
value_of() { local name=$1; shift; while [ $# -gt 1 ]; do
  [ "$1" = "$name" ] && echo "$2"; shift; done; }
case "$1" in
  policy) answer reference '' ;;
  gate)
    out=$(value_of --out "$@")
    code=$(answer gate 0)
    echo 'what the gate says'
    [ -e "$ANSWERS/no-verdict" ] || { mkdir -p "$out/duets" && echo '# Verdicts' >"$out/report.md"
      echo '{}' >"$out/duets/steady@file.json"; }
    exit "$code" ;;
  run)
    [ "$3" = --plan ] && { printf '1 4 sweep null file\\n2 6 max file\\n'; exit; }
    mkdir -p "$6" && echo '{}' >"$6/part-$4.json"; exit "$(answer "part-$4" 0)" ;;
  history)
    [ "$2" = findings ] && echo '7: worse, open, since 2026-11-21 (found 2026-11-23)'
    exit "$(answer "history-$2" 0)" ;;
  report) exit "$(answer page 0)" ;;
esac
"""


# Stands in for ci/faults.
FAULTS = """#!/bin/bash
echo "faults $@" >>"$CALLS"
echo '350 runs, 0 not as expected, 320 s'
exit "$(cat "$ANSWERS/faults" 2>/dev/null || echo 0)"
"""


class Clone:
    """A folder that has the commands."""

    def __init__(self, folder):
        self.root = folder / "clone"
        self.answers = folder / "answers"
        self.calls_file = folder / "calls"
        self.tools = folder / "tools"
        for path in (self.root / "ci", self.root / "plots", self.answers, self.tools):
            path.mkdir(parents=True)
        for name in ("gate", "nightly", "verdicts.sh", "common.sh", "baselines", "policy.toml"):
            shutil.copy(CI / name, self.root / "ci" / name)
        shutil.copy(CI.parent / "plots/printable.py", self.root / "plots")
        suites = self.root / "scenarios/suites"
        suites.mkdir(parents=True)
        for name in ("nightly", "quick"):
            (suites / f"{name}.toml").touch()
        self.write(self.root / "ci/faults", FAULTS)
        self.write(self.tools / "cmake", CMAKE)
        self.write(self.root / "program", PROGRAM)
        self.environment = dict(
            os.environ, PATH=f"{self.tools}:{os.environ['PATH']}", CALLS=str(self.calls_file),
            ANSWERS=str(self.answers))

    @staticmethod
    def write(path, script):
        path.write_text(script)
        path.chmod(0o755)

    def answer(self, name, value):
        (self.answers / name).write_text(f"{value}\n")

    def run(self, command, *arguments):
        return subprocess.run([str(self.root / "ci" / command), *arguments, "--no-setup"],
                              cwd=self.root / "plots", env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def gate(self, *arguments):
        return self.run("gate", "base", "head", *arguments)

    def night(self, *arguments):
        self.answer("reference", "pinned")
        return self.run("nightly", "--out", self.root / "out", *arguments)

    def summary(self):
        return (self.root / "out/summary.md").read_text()

    def calls(self, word):
        """The calls that begin so."""
        lines = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        return [line for line in lines if line.startswith(word)]

    def forget_calls(self):
        self.calls_file.unlink(missing_ok=True)


@pytest.fixture(name="clone")
def fixture_clone(tmp_path):
    return Clone(tmp_path)


@pytest.mark.parametrize("verdict", [0, 1, 2, 3, 4, 130])
def test_the_gate_builds_the_program_and_passes_its_verdict_on(clone, verdict):
    clone.answer("gate", verdict)
    run = clone.gate("--policy", "mine.toml", "--out", "there")
    assert run.returncode == verdict, run.stdout + run.stderr
    # Relative paths start at the caller's folder.
    here = clone.root / "plots"
    assert clone.calls("gate") == [f"gate base head --out {here}/there --policy {here}/mine.toml"]
    assert "what the gate says" in run.stdout


@pytest.mark.parametrize("command", ["gate", "night"])
def test_a_program_that_does_not_build_is_no_fail(clone, command):
    (clone.root / "program").write_text("does-not-compile")
    clone.answer("gate", 0)
    run = getattr(clone, command)()
    assert run.returncode == 4
    assert "expected ;" in run.stdout and "the release build failed" in run.stderr


def test_only_one_measures_at_a_time(clone):
    (clone.root / "build").mkdir()
    with open(clone.root / "build/measuring.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for run in (clone.gate(), clone.night()):
            assert run.returncode == 4
            assert "is running" in run.stderr
    assert clone.calls("cmake") == []


def test_names_that_are_quoted_control_no_terminal(clone):
    run = clone.run("gate", "--no\x1b[2J\u202esuch")
    assert run.returncode == 2 and "--no?[2J?such" in run.stderr


@pytest.mark.parametrize("verdict", [0, 1, 3, 4])
def test_a_night_runs_everything_once_and_can_be_resumed(clone, verdict):
    clone.answer("gate", verdict)
    first = clone.night()
    assert first.returncode == verdict, first.stdout + first.stderr
    gate, *again = clone.calls("gate")
    assert gate.startswith("gate pinned HEAD --nightly --policy ")
    # Half of the night; what is undecided, and traced rounds, get what the suite leaves, up
    # to nine tenths.
    assert gate.endswith("--minutes 75.0")
    assert len(again) == 1
    assert all(float(call.split()[-1]) > 110 for call in again)
    assert clone.summary().startswith("# Verdicts")
    assert "Against stored baselines" in clone.summary()
    assert sorted(path.name for path in (clone.root / "out/results").iterdir()) == [
        "part-1.json", "part-2.json"]
    clone.forget_calls()
    assert clone.night().returncode == verdict
    # The program itself knows which duets are measured.
    assert len(clone.calls("gate")) == 1 + len(again)
    assert clone.calls("run nightly --part") == []


def test_a_night_without_a_verdict_runs_the_rest(clone):
    assert clone.night().returncode == 0
    clone.answer("gate", 4)
    clone.answer("no-verdict", "")
    shutil.rmtree(clone.root / "out/parts")
    clone.forget_calls()
    run = clone.night()
    assert run.returncode == 4
    # The verdicts of an earlier call are no longer there.
    assert clone.summary().startswith("# No verdict")
    assert len(clone.calls("run nightly --part")) == 2
    assert "what the gate says" in (clone.root / "out/gate.log").read_text()


def test_an_interrupt_ends_the_night(clone):
    clone.answer("gate", 130)
    assert clone.night().returncode == 130
    assert clone.calls("run") == []


def test_a_night_runs_the_faults_once_and_says_what_came_of_them(clone):
    clone.answer("faults", 1)
    assert clone.night().returncode == 0, "the verdict is about speed"
    assert "faults: ci/faults ended with exit code 1" in clone.summary()
    clone.answer("faults", 0)
    for _ in range(2):
        assert clone.night().returncode == 0
        assert "350 runs, 0 not as expected" in clone.summary()
    calls = clone.calls("faults")
    assert len(calls) == 2 and str(clone.root / "build/release/tailgate") in calls[0]


def test_a_night_takes_another_suite(clone):
    assert clone.night("--suite", "quick").returncode == 0
    assert len(clone.calls("run quick --part")) == 2
    assert clone.calls("run nightly") == []


@pytest.mark.parametrize("option, value", [
    ("--suite", "none"), ("--night", "2026-02-30"), ("--night", "yesterday")])
def test_a_night_refuses_a_suite_and_a_date_that_do_not_exist(clone, option, value):
    run = clone.night(option, value)
    assert run.returncode == 2 and f"'{value}'" in run.stderr
    assert clone.calls("") == []


def test_a_night_without_time_says_what_is_missing(clone):
    assert clone.night("--minutes", "1").returncode == 0
    assert "faults: no time was left" in clone.summary()


def test_a_night_that_lacks_something_says_how_to_go_on_with_it(clone):
    clone.answer("gate", 3)
    line = r"to go on with this night: \S+/nightly --out \S+ --no-setup --night \d{4}-\d\d-\d\d$"
    assert re.search(line, clone.night().stdout, re.MULTILINE)
    named = clone.night("--night", "2026-02-28", "--history", "my nights.sqlite").stdout
    assert r"--night 2026-02-28 --history my\ nights.sqlite --no-setup" in named
    assert named.count("--night") == 1


def test_a_night_is_added_to_the_history_and_its_findings_are_in_the_summary(clone):
    night = clone.night("--history", "nights.sqlite", "--night", "2026-02-28")
    assert night.returncode == 0
    there = f"--history {clone.root}/plots/nights.sqlite"
    assert clone.calls("history") == [
        f"history import {clone.root}/out/duets {clone.root}/out/results {there}"
        " --night 2026-02-28",
        f"history findings {there}"]
    assert "## Findings in the history\n\n    7: worse, open" in clone.summary()
    assert "7: worse, open" in night.stdout
    clone.answer("history-import", 1)
    assert clone.night().returncode == 0, "the verdict is about speed"
    assert "history: not everything of this night is in it" in clone.summary()
    clone.forget_calls()
    clone.night("--history", "postgresql://me@db/nights")
    assert clone.calls("history findings") == [
        "history findings --history postgresql://me@db/nights"]


def test_a_night_has_a_page_with_the_history_if_that_can_be_read(clone):
    page = f"report {clone.root}/out --out {clone.root}/out/report.html"
    night = clone.night("--history", "nights.sqlite")
    assert clone.calls("report") == [f"{page} --history {clone.root}/plots/nights.sqlite"]
    assert f"Page:    {clone.root}/out/report.html" in night.stdout
    clone.forget_calls()
    clone.answer("history-findings", 1)
    clone.answer("page", 2)
    assert clone.night("--history", "nights.sqlite").returncode == 0, "the verdict is about speed"
    assert clone.calls("report") == [page]
    assert "page: not everything of this night is on it" in clone.summary()


def test_a_part_that_was_cut_is_run_again(clone):
    clone.write(clone.tools / "timeout",
                '#!/bin/bash\nwhile [ "${1#[-0-9]}" != "$1" ]; do shift; done\n"$@"\ncode=$?\n'
                '[[ "$*" != *"--part 2"* ]] || exit 124\nexit "$code"\n')
    assert clone.night().returncode == 0
    assert "part 2 of the suite (max file): it was stopped" in clone.summary()
    assert [path.name for path in (clone.root / "out/results").iterdir()] == ["part-1.json"]
    (clone.tools / "timeout").unlink()
    clone.forget_calls()
    assert clone.night().returncode == 0
    assert len(clone.calls("run nightly --part")) == 1
    assert len(list((clone.root / "out/results").iterdir())) == 2


def test_a_reference_that_cannot_be_had_is_a_usage_error(clone):
    clone.answer("gate", 2)
    run = clone.night()
    assert run.returncode == 2 and "history was rewritten, pin the commit" in run.stdout
    clone.answer("reference", "")
    run = clone.run("nightly", "--out", "out")
    assert run.returncode == 2 and "pins no reference" in run.stderr
