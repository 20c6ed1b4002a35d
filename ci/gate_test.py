"""Tests of ci/gate and ci/nightly on a clone whose revisions a stand-in for CMake builds: each
"build" is a script that gives prepared answers and records its calls.
"""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parent

# `cmake -S SOURCE -B BUILD …` and `cmake --build BUILD …`.
CMAKE = """#!/bin/bash
echo "cmake $*" >>"$CALLS"
if [ "$1" = -S ]; then mkdir -p "$4" && cp "$2/program" "$4/" && exit; fi
grep -q does-not-compile "$2/program" && { echo 'error: expected ;'; exit 1; }
cp "$2/program" "$2/tailgate" && chmod +x "$2/tailgate"
"""

# Answers for tailgate. The file ANSWERS/NAME holds the exit code of what NAME stands for.
PROGRAM = """#!/bin/bash
# protocol 3
echo "$@" >>"$CALLS"
answer() { cat "$ANSWERS/$1" 2>/dev/null || echo "$2"; }
value_of() { local name=$1; shift; while [ $# -gt 1 ]; do
  [ "$1" = "$name" ] && echo "$2"; shift; done; }
case "$1" in
  policy)
    case "${3:-}" in
      --runs) cat "$ANSWERS/runs" 2>/dev/null ||
        printf 'steady\\tfile\\trate_hz=20000\\nsteady\\tgone\\t\\n' ;;
      --nightly-runs) printf 'steady\\tfile\\trate_hz=20000\\nsteady\\tlttng\\t\\n' ;;
      --time-budget) answer budget 30 ;;
      --reference) answer reference '' ;;
      --waived-commits) answer waived '' ;;
    esac ;;
  sinks)
    [ "$2" = gone ] && here=false || here=true
    printf '[\\n  {\\n    "available": %s\\n  }\\n]\\n' "$here" ;;
  duet)
    if [ "$2" = null ]; then grep -q 'protocol 3' "$(value_of --program-a "$@")" && exit
      echo "tailgate: cannot take a side: protocol 2"; exit 2; fi
    code=$(answer "duet-$2" 0)
    [ "$code" = 2 ] || echo '{}' >"$(value_of --out "$@")"
    exit "$code" ;;
  gate)
    echo '# Verdicts' >"$(value_of --markdown "$@")"
    case "$*" in *"--missing invalid"*) exit 4 ;; *"--missing inconclusive"*) exit 3 ;; esac
    exit "$(answer gate 0)" ;;
  run)
    [ "$3" = --plan ] && { printf '1 4 sweep null file\\n2 6 max file\\n'; exit; }
    mkdir -p "$6" && echo '{}' >"$6/part-$4.json"; exit "$(answer "part-$4" 0)" ;;
esac
"""


# Stands in for ci/faults.
FAULTS = """#!/bin/bash
echo "faults $@" >>"$CALLS"
echo '350 runs, 0 not as expected, 320 s'
exit "$(cat "$ANSWERS/faults" 2>/dev/null || echo 0)"
"""


class Clone:
    """A repository that has the commands, to make revisions in."""

    def __init__(self, folder):
        self.root = folder / "clone"
        self.answers = folder / "answers"
        self.calls_file = folder / "calls"
        tools = folder / "tools"
        for path in (self.root / "ci", self.answers, tools):
            path.mkdir(parents=True)
        for name in ("gate", "nightly", "duets.sh", "common.sh", "baselines", "policy.toml"):
            shutil.copy(CI / name, self.root / "ci" / name)
        (self.root / "ci" / "faults").write_text(FAULTS)
        (self.root / "ci" / "faults").chmod(0o755)
        (self.root / "plots").mkdir()
        shutil.copy(CI.parent / "plots/printable.py", self.root / "plots")
        (tools / "cmake").write_text(CMAKE)
        (tools / "cmake").chmod(0o755)
        self.tools = tools
        self.environment = dict(
            os.environ, PATH=f"{tools}:{os.environ['PATH']}", CALLS=str(self.calls_file),
            ANSWERS=str(self.answers), GIT_AUTHOR_NAME="t", GIT_AUTHOR_EMAIL="t@example.org",
            GIT_COMMITTER_NAME="t", GIT_COMMITTER_EMAIL="t@example.org")
        (self.root / ".gitignore").write_text("/build/\n/out/\n")
        self.git("init", "--quiet")

    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.root, env=self.environment, check=True,
                              capture_output=True, text=True).stdout.strip()

    def commit(self, program, message):
        (self.root / "program").write_text(program + f"# {message}\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def answer(self, name, value):
        (self.answers / name).write_text(f"{value}\n")

    def run(self, command, *arguments, **environment):
        return subprocess.run([str(self.root / "ci" / command), *arguments, "--no-setup"],
                              cwd=self.root, env=dict(self.environment, **environment), text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def gate(self, *arguments, **environment):
        shutil.rmtree(self.root / "out", ignore_errors=True)
        return self.run("gate", "base", "head", "--out", "out", *arguments, **environment)

    def night(self, *arguments):
        return self.run("nightly", "--out", "out", *arguments)

    def calls(self, word):
        """The calls that begin so."""
        lines = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        return [line for line in lines if line.startswith(word)]

    def forget_calls(self):
        self.calls_file.unlink(missing_ok=True)


@pytest.fixture(name="clone")
def fixture_clone(tmp_path):
    clone = Clone(tmp_path)
    clone.base = clone.commit(PROGRAM, "before")
    clone.git("tag", "base")
    clone.head = clone.commit(PROGRAM, "after")
    clone.git("tag", "head")
    return clone


def program(clone, commit):
    return clone.root / "build/gate" / commit / "build/tailgate"


@pytest.mark.parametrize("verdict", [0, 1, 3, 4])
def test_two_revisions_are_built_and_run_in_duet_and_the_verdict_passes_through(clone, verdict):
    clone.answer("gate", verdict)
    clone.answer("duet-file", verdict)
    run = clone.gate()
    assert run.returncode == verdict, run.stdout + run.stderr
    assert "1 duets, each at most 30 s" in run.stdout
    assert "left out: gone is not available here" in run.stdout
    [duet] = clone.calls("duet file")
    assert f"--program-a {program(clone, clone.base)} " in duet
    assert f"--program-b {program(clone, clone.head)} " in duet
    assert "--scenario steady --set rate_hz=20000 --gate --policy ci/policy.toml" in duet
    [gate] = clone.calls("gate")
    assert "--junit out/verdict.xml" in gate.replace(str(clone.root) + "/", "")


def test_each_duet_of_a_policy_has_a_file_of_its_own(clone):
    runs = [("steady", "file", "rate_hz=1000"), ("steady", "file", "rate_hz=2000"),
            ("steady", "file", ""), ("steady", "file:mode=mmap", ""),
            ("steady", "file_mode=mmap", "")]
    clone.answer("runs", "\n".join("\t".join(run) for run in runs))
    assert clone.gate().returncode == 0
    assert len(clone.calls("duet file")) == len(runs)
    names = [path.name for path in (clone.root / "out/duets").iterdir()]
    assert len(names) == len(runs) and "steady@file.json" in names


def test_a_build_is_made_once_for_each_revision_and_recipe(clone):
    assert clone.gate().returncode == 0
    assert len(clone.calls("cmake --build")) == 2
    clone.forget_calls()
    assert clone.gate().returncode == 0
    assert clone.calls("cmake") == []
    # Other flags would be a second difference between the sides.
    assert clone.gate(CXXFLAGS="-march=native").returncode == 0
    assert len(clone.calls("cmake --build")) == 2


def test_an_interrupted_build_is_not_taken_for_a_complete_one(clone):
    assert clone.gate().returncode == 0
    clone.forget_calls()
    (clone.root / "build/gate" / clone.head / "complete").unlink()
    program(clone, clone.head).write_text("#!/bin/sh\nexit 7\n")
    assert clone.gate().returncode == 0
    assert len(clone.calls("cmake --build")) == 1


def test_the_builds_that_were_used_last_are_kept_and_no_half_ones(clone):
    builds = clone.root / "build/gate"
    for age in range(9):
        (builds / f"old{age}").mkdir(parents=True)
        (builds / f"old{age}" / "complete").touch()
        os.utime(builds / f"old{age}" / "complete", (1_000_000 - age, 1_000_000 - age))
    (builds / "half").mkdir()
    assert clone.gate().returncode == 0
    left = {path.name for path in builds.iterdir() if path.is_dir()}
    assert left == {clone.base, clone.head, "old0", "old1", "old2", "old3"}


def test_a_revision_that_does_not_build_is_no_fail(clone):
    clone.commit(PROGRAM + "# does-not-compile\n", "broken")
    clone.git("tag", "--force", "head")
    run = clone.gate()
    assert run.returncode == 4
    assert "expected ;" in run.stdout and "building head" in run.stderr
    assert "build.log" in run.stderr


def test_a_base_of_another_protocol_is_refused_with_what_to_do(clone):
    clone.commit(PROGRAM.replace("protocol 3", "protocol 2"), "old")
    clone.git("tag", "--force", "base")
    run = clone.gate()
    assert run.returncode == 4
    assert "cannot take a side: protocol 2" in run.stdout
    assert "compare later revisions" in run.stdout
    assert clone.calls("duet file") == []


def test_only_one_measures_at_a_time(clone):
    (clone.root / "build/gate").mkdir(parents=True)
    with open(clone.root / "build/gate/lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for run in (clone.gate(), clone.night()):
            assert run.returncode == 4
            assert "is running" in run.stderr
    assert clone.calls("cmake") == []


@pytest.mark.parametrize("code, kind", [(2, "usage"), (137, "killed")])
def test_without_one_of_its_duets_the_gate_does_not_pass(clone, code, kind):
    clone.answer("duet-file", code)
    run = clone.gate()
    assert run.returncode == 4, kind
    [call] = clone.calls("gate")
    assert f"--missing invalid steady file the duet ended with exit code {code} and left" in call


def test_settings_reach_the_duet_as_the_policy_has_them(clone):
    (clone.root / "rate_hz=1").write_text("what a pattern would match")
    clone.answer("runs", "steady\tfile\\t:x\trate_hz=* path=/a\\x20b\\\\c\nsteady\tgone\\x1b[2J\t")
    run = clone.gate()
    [duet] = clone.calls("duet file")
    assert duet.startswith("duet file\t:x ") and "--set rate_hz=* --set path=/a b\\c --gate" in duet
    assert "\x1b" not in run.stdout + run.stderr


def test_names_that_are_quoted_control_no_terminal(clone):
    run = clone.run("gate", "no\x1b[2J\u202esuch", "head", "--out", "out")
    assert run.returncode == 2 and "no?[2J?such" in run.stderr


def test_an_interrupt_ends_the_gate(clone):
    clone.answer("duet-file", 130)
    assert clone.gate().returncode == 130
    assert clone.calls("gate") == []


def test_duets_of_another_time_are_not_judged_with_these(clone):
    assert clone.run("gate", "base", "head", "--out", "out").returncode == 0
    again = clone.run("gate", "base", "head", "--out", "out")
    assert again.returncode == 2 and "holds duets already" in again.stderr


def test_git_tells_which_waivers_hold(clone):
    clone.git("checkout", "--quiet", "-b", "side", "base")
    beside = clone.commit(PROGRAM, "beside")
    clone.git("checkout", "--quiet", "head")
    clone.answer("waived", "\n".join([clone.head[:9], clone.base[:8], beside, "0123456789"]))
    run = clone.gate()
    assert run.returncode == 0
    for call in clone.calls("duet file") + clone.calls("gate"):
        assert call.count("--waive") == 1 and f"--waive {clone.head[:9]}" in call
    assert f"waiver of {clone.base[:8]}: not used, the base contains it" in run.stdout
    assert f"waiver of {beside}: not used, the head does not contain it" in run.stdout
    assert "waiver of 0123456789: not used, git knows no such commit" in run.stdout


def test_a_night_runs_everything_once_and_can_be_resumed(clone):
    clone.answer("reference", "base")
    clone.answer("duet-lttng", 2)
    first = clone.night()
    assert first.returncode == 4, first.stdout + first.stderr
    summary = (clone.root / "out/summary.md").read_text()
    assert summary.startswith("# Verdicts")
    [call] = clone.calls("gate")
    assert "--missing invalid steady lttng the duet ended with exit code 2" in call
    assert "Against stored baselines" in summary
    assert sorted(path.name for path in (clone.root / "out/results").iterdir()) == [
        "part-1.json", "part-2.json"]
    clone.forget_calls()
    clone.answer("duet-lttng", 3)
    assert clone.night().returncode == 0
    assert [call.split()[1] for call in clone.calls("duet")] == ["null", "lttng"]
    assert clone.calls("run nightly --part") == []


def test_a_night_runs_the_faults_once_and_says_what_came_of_them(clone):
    clone.answer("reference", "base")
    clone.answer("faults", 1)
    summary = clone.root / "out/summary.md"
    assert clone.night().returncode == 0, "the verdict is about speed"
    assert "faults: ci/faults ended with exit code 1" in summary.read_text()
    clone.answer("faults", 0)
    for _ in range(2):
        assert clone.night().returncode == 0
        assert "350 runs, 0 not as expected" in summary.read_text()
    calls = clone.calls("faults")
    assert len(calls) == 2 and str(program(clone, clone.head)) in calls[0]


def test_a_night_without_time_is_inconclusive_and_says_what_is_missing(clone):
    clone.answer("reference", "base")
    clone.answer("budget", 600)
    run = clone.night("--minutes", "1")
    assert run.returncode == 3, run.stdout + run.stderr
    [call] = clone.calls("gate --policy")
    assert "--missing inconclusive steady file no time was left" in call
    clone.answer("budget", 30)
    clone.answer("gate", 1)
    assert clone.night("--minutes", "10").returncode == 1


def test_a_part_that_was_cut_is_run_again(clone):
    clone.answer("reference", "base")
    (clone.tools / "timeout").write_text(
        '#!/bin/bash\nwhile [ "${1#[-0-9]}" != "$1" ]; do shift; done\n"$@"\ncode=$?\n'
        '[[ "$*" != *"--part 2"* ]] || exit 124\nexit "$code"\n')
    (clone.tools / "timeout").chmod(0o755)
    assert clone.night().returncode == 0
    assert "part 2 of the suite (max file): it was stopped" in (
        clone.root / "out/summary.md").read_text()
    assert [path.name for path in (clone.root / "out/results").iterdir()] == ["part-1.json"]
    (clone.tools / "timeout").unlink()
    clone.forget_calls()
    assert clone.night().returncode == 0
    assert len(clone.calls("run nightly --part")) == 1
    assert len(list((clone.root / "out/results").iterdir())) == 2


def test_a_folder_holds_one_night(clone):
    clone.answer("reference", "base")
    assert clone.night().returncode == 0
    clone.commit(PROGRAM, "later")
    other = clone.night()
    assert other.returncode == 2 and "holds the night of other commits" in other.stderr


@pytest.mark.parametrize("reference, words", [
    ("", "pins no reference"), ("0123456789", "history was rewritten, pin the commit")])
def test_a_reference_that_cannot_be_had_is_a_usage_error(clone, reference, words):
    clone.answer("reference", reference)
    run = clone.night()
    assert run.returncode == 2
    assert words in run.stdout + run.stderr
