"""`tailgate init` and `tailgate gate BASE HEAD` as a team uses them: repositories that are made
here, with a plugin in C or a benchmark that prints numbers, and two commits.

TAILGATE_BUILD names the build folder.
"""

import fcntl
import json
import os
import shlex
import signal
import subprocess
import time
import xml.etree.ElementTree
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "providers/plugin/include"
# The smallest p value of eight rounds is 1/256.
RULES = ("[gate]\nlooks = [8]\nfalse_fail = 0.02\nfalse_pass = 0.2\n"
         "allow_dirty_builds = true\nexplain_s = 0\n")

# Prints a number around $VALUE, in nanoseconds.
BENCHMARK = """[build]
command = "chmod +x bench"
[[benchmark]]
name = "loop"
command = "./bench"
from = "numbers"
""" + RULES
BENCH = "#!/bin/sh\necho $((%d + $$ %% 3))\n"

PLUGIN = f"""[build]
command = "cc -std=c11 -O2 -fPIC -shared -I{INCLUDE} log.c -o mylog.so"
plugin = "mylog.so"
[[run]]
scenario = "steady"
sinks = ["plugin"]
set = {{ rate_hz = 20_000 }}
""" + RULES


class Clone:
    """A repository, and the project in it."""

    def __init__(self, folder, inner=""):
        self.top = folder / "clone"
        self.root = self.top / inner
        self.root.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch", "main")

    def git(self, *arguments):
        return subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments],
            cwd=self.top, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, **files):
        for name, text in files.items():
            (self.root / name.replace("__", ".")).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "change")
        return self.git("rev-parse", "HEAD")

    def tailgate(self, *arguments, cwd=None):
        return subprocess.run([str(PROGRAM), *map(str, arguments)], cwd=cwd or self.root, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                              check=False)

    def gate(self, *arguments, out="out"):
        return self.tailgate("gate", *arguments, "--out", out)


@pytest.fixture(name="clone")
def fixture_clone(tmp_path):
    return Clone(tmp_path)


def outcomes(report):
    """The failures and errors of each suite of a JUnit file."""
    suites = xml.etree.ElementTree.parse(report).getroot()
    return [(suite.get("failures"), suite.get("errors")) for suite in suites.findall("testsuite")]


def test_a_slower_benchmark_fails_and_an_empty_commit_passes(clone):
    clone.commit(tailgate__toml=BENCHMARK, bench=BENCH % 1000)
    clone.commit()
    same = clone.gate("HEAD~1", "HEAD", out="same")
    assert same.returncode == 0, same.stdout + same.stderr
    assert "duet 1 of 1: benchmark loop" in same.stdout
    clone.commit(bench=BENCH % 1100)
    slower = clone.gate("HEAD~1", "HEAD")
    assert slower.returncode == 1, slower.stdout + slower.stderr
    out = clone.root / "out"
    assert "**fail**" in (out / "report.md").read_text()
    assert outcomes(out / "verdict.xml")[0][0] != "0"
    assert (out / "plots/verdict.json").exists()
    # The revision that both gates need was built once, and git sees nothing of it.
    assert "was built before" in slower.stdout
    assert clone.git("status", "--porcelain").splitlines() == ["?? out/"]
    assert ".tailgate" not in clone.git("ls-files")


def test_bisect_names_the_commit_that_made_it_slower(clone):
    clone.commit(tailgate__toml=BENCHMARK, bench=BENCH % 1000)
    clone.commit(notes="one")
    (clone.root / "bench").unlink()
    unbuilt = clone.commit(notes="does not build")
    slow = clone.commit(bench=BENCH % 1100)
    clone.commit(notes="two")
    found = clone.gate("HEAD~4", "HEAD", "--bisect")
    assert found.returncode == 1, found.stdout + found.stderr
    assert f"the first commit that fails: {slow[:7]}" in found.stdout
    assert f"or before it, since it could not be judged: {unbuilt[:7]}" in found.stdout
    passed = clone.gate("HEAD~4", "HEAD~3", "--bisect", out="passed")
    assert passed.returncode == 0 and "bisecting" not in passed.stdout


PROGRAM_SOURCE = """#include <unistd.h>
int main(void) {
  for (int i = 0; i < 2000; ++i) if (write(%s, "event", 5) < 0) return 1;
  return 0;
}
"""
CALLS = """[build]
command = "cc -O2 app.c -o app"
[[benchmark]]
name = "app"
command = "exec ./app 3>/dev/null 4>app.log"
calls = "write"
""" + RULES


def test_a_program_is_gated_by_the_calls_that_it_makes(clone):
    clone.commit(tailgate__toml=CALLS, app__c=PROGRAM_SOURCE % "3")
    # A file takes several times as long as a device that discards all.
    clone.commit(app__c=PROGRAM_SOURCE % "4")
    slower = clone.gate("HEAD~1", "HEAD")
    assert slower.returncode == 1, slower.stdout + slower.stderr
    report = (clone.root / "out/report.md").read_text()
    assert "**fail**" in report and "p50" in report


def test_a_gate_goes_on_where_it_was_stopped_and_mixes_nothing(clone):
    clone.commit(tailgate__toml=BENCHMARK, bench=BENCH % 1000)
    clone.commit()
    first = clone.gate("HEAD~1", "HEAD")
    again = clone.gate("HEAD~1", "HEAD")
    assert again.returncode == first.returncode == 0
    assert "==== duet" in first.stdout and "==== duet" not in again.stdout
    other = clone.gate("HEAD", "HEAD")
    assert other.returncode == 2 and "duets of other revisions or rules" in other.stderr
    (clone.root / "tailgate.toml").write_text(BENCHMARK.replace("0.02", "0.03"))
    assert clone.gate("HEAD~1", "HEAD").returncode == 2


# The sides are slower in turn, by the number of their run, so that no number of rounds decides.
IN_TURN = "#!/bin/sh\nrun=$(cat runs 2>&- || echo %s)\necho $((run + 1)) >runs\n" \
          "echo $((1000 + run %% 2 * 60))\n"


def rounds_of(clone, out="out"):
    [file] = (clone.root / out / "duets").glob("*.json")
    return json.loads(file.read_text())


def test_an_inconclusive_gate_goes_on_with_the_looks_that_are_left(clone):
    rules = RULES.replace("looks = [8]", "looks = [8]\nresumed_looks = [10, 12]")
    text = BENCHMARK.replace(RULES, rules).replace('from = "numbers"',
                                                   'from = "numbers"\nmargin = "0.01%"')
    clone.commit(tailgate__toml=text, bench=IN_TURN % "0")
    clone.commit(bench=IN_TURN % "1")
    assert clone.gate("HEAD~1", "HEAD").returncode == 3
    first = rounds_of(clone)
    assert len(first["rounds"]) == 8 and first["parts"][0]["stopped"]
    again = clone.gate("HEAD~1", "HEAD")
    assert again.returncode == 3, again.stdout + again.stderr
    assert "goes on after 8 rounds" in again.stdout
    assert "measured in 2 parts" in (clone.root / "out/report.md").read_text()
    resumed = rounds_of(clone)
    assert resumed["id"] == first["id"] and resumed["rounds"][:8] == first["rounds"]
    assert [part["rounds"] for part in resumed["parts"]] == [8, 12]
    # All looks are spent: more rounds would not change the verdict.
    last = clone.gate("HEAD~1", "HEAD")
    assert last.returncode == 3 and "goes on" not in last.stdout
    assert rounds_of(clone) == resumed


def test_a_duet_is_resumed_on_the_same_machine_only(clone):
    rules = RULES.replace("looks = [8]", "looks = [8]\nresumed_looks = [10]")
    text = BENCHMARK.replace(RULES, rules).replace('from = "numbers"',
                                                   'from = "numbers"\nmargin = "0.01%"')
    clone.commit(tailgate__toml=text, bench=IN_TURN % "0")
    clone.commit(bench=IN_TURN % "1")
    assert clone.gate("HEAD~1", "HEAD").returncode == 3
    [file] = (clone.root / "out/duets").glob("*.json")
    duet = rounds_of(clone)
    duet["machine"]["fingerprint"] = "another"
    file.write_text(json.dumps(duet))
    again = clone.gate("HEAD~1", "HEAD")
    assert again.returncode == 3, again.stdout + again.stderr
    assert "cannot be resumed" in again.stderr and "--out" in again.stderr
    assert rounds_of(clone) == duet
    alone = clone.tailgate("duet", "--resume", file, "--rounds", 9)
    assert alone.returncode == 1 and "cannot be resumed" in alone.stderr
    assert clone.tailgate("duet", "--resume", file, "--seed", 7).returncode == 2


def test_a_night_looks_at_rounds_of_its_own(clone):
    text = BENCHMARK + '[nightly]\nreference = "main"\nlooks = [9]\nfalse_fail = 0.02\n'
    clone.commit(tailgate__toml=text, bench=BENCH % 1000)
    clone.commit()
    assert clone.gate("HEAD~1", "HEAD", "--nightly").returncode == 0
    assert len(rounds_of(clone)["rounds"]) == 9
    assert clone.gate("HEAD~1", "HEAD", out="day").returncode == 0
    assert len(rounds_of(clone, "day")["rounds"]) == 8
    duets = clone.root / "out/duets"
    assert clone.tailgate("gate", duets, "--policy", "tailgate.toml", "--nightly").returncode == 0


def test_a_night_begins_a_duet_in_less_time_than_its_first_look_may_take(clone):
    text = BENCHMARK + ('[nightly]\nreference = "main"\nlooks = [8]\nfalse_fail = 0.02\n'
                        "time_budget_s = 600\n")
    clone.commit(tailgate__toml=text, bench=BENCH % 1000)
    night = clone.gate("HEAD", "HEAD", "--nightly", "--minutes", "3")
    assert night.returncode == 0, night.stdout + night.stderr
    # A merge's gate is not gone on with, so it does not begin what it cannot decide.
    merge = clone.gate("HEAD", "HEAD", "--minutes", "1", out="merge")
    assert merge.returncode == 3 and "no time was left for the duet" in merge.stderr


def test_where_a_night_is_short_the_longest_first_look_comes_last(clone):
    runs = "".join(f'[[run]]\nscenario = "{scenario}"\nsinks = ["plugin"]\n'
                   for scenario in ("burst", "steady"))
    text = PLUGIN[:PLUGIN.index("[[run]]")] + runs + RULES + (
        '[nightly]\nreference = "main"\nlooks = [8, 16]\nfalse_fail = 0.02\n'
        "time_budget_s = 60\n"
        '[[nightly.first_look]]\nscenario = "burst"\nrounds = 16\n')
    clone.commit(tailgate__toml=text, log__c=plugin_source(0))
    night = clone.gate("HEAD", "HEAD", "--nightly", "--minutes", "3")
    duets = [line for line in night.stdout.splitlines() if line.startswith("==== duet ")]
    assert len(duets) == 2, night.stdout + night.stderr
    assert "steady" in duets[0] and "burst" in duets[1]


def plugin_source(loops):
    source = (ROOT / "providers/plugin/examples/stdio_log.c").read_text()
    head, body = source.split("static uint8_t emit(", 1)
    signature, rest = body.split("{", 1)
    work = f"\n  for (volatile int i = 0; i < {loops}; ++i) {{}}\n"
    return head + "static uint8_t emit(" + signature + "{" + work + rest


def test_a_slower_logger_fails(clone):
    clone.commit(tailgate__toml=PLUGIN, log__c=plugin_source(0))
    clone.commit(log__c=plugin_source(20000))
    slower = clone.gate("HEAD~1", "HEAD")
    assert slower.returncode == 1, slower.stdout + slower.stderr
    report = (clone.root / "out/report.md").read_text()
    assert "**fail** | plugin, " in report and "response" in report
    for commit in ("HEAD~1", "HEAD"):
        assert clone.git("rev-parse", commit)[:10] in report


def test_a_plugin_that_the_head_breaks_fails_and_a_broken_base_is_invalid(clone):
    clone.commit(tailgate__toml=PLUGIN, log__c=plugin_source(0))
    clone.commit(log__c="int nothing_of_a_plugin;\n")
    run = clone.gate("HEAD~1", "HEAD")
    assert run.returncode == 1, run.stdout + run.stderr
    report = (clone.root / "out/report.md").read_text()
    assert "**fail**" in report and "the base runs plugin, the head does not" in report
    assert outcomes(clone.root / "out/verdict.xml") == [("1", "0")]
    run = clone.gate("HEAD", "HEAD~1", out="repaired")
    assert run.returncode == 4, run.stdout + run.stderr
    assert "the base does not run it" in (clone.root / "repaired/report.md").read_text()


def test_nights_add_up_what_moves_of_the_reference_changed(clone):
    rules = BENCHMARK + '[nightly]\nreference = "main"\nchain = "pins.toml"\n'
    pins = [clone.commit(tailgate__toml=rules, bench=BENCH % round(10000 * 1.03 ** step))
            for step in range(3)]

    def night(base, head, out, *more):
        return clone.gate(pins[base], pins[head], "--nightly", *more, out=out)

    # Three percent are within the margin of five, without the chain and at the first move.
    assert night(1, 2, "alone").returncode == 0
    moved = night(0, 1, "moved", "--repin")
    assert moved.returncode == 0, moved.stdout + moved.stderr
    assert f'set reference = "{pins[1]}"' in moved.stdout
    chain = clone.root / "pins.toml"
    assert f'from = "{pins[0]}"' in chain.read_text()
    second = night(1, 2, "second")
    assert second.returncode == 1, second.stdout + second.stderr
    assert f"since the first pin ({pins[0][:10]}" in (clone.root / "second/report.md").read_text()
    # What is accepted gives its part of the margin back.
    chain.write_text(chain.read_text().replace("ratio =", 'accepted = "a feature"\nratio ='))
    assert night(1, 2, "accepted").returncode == 0
    assert clone.gate(pins[0], pins[1], "--repin", out="day").returncode == 2
    chain.write_text("[[link]]\nfrom = 5\n")
    broken = night(1, 2, "broken")
    assert broken.returncode == 2 and "pins.toml:2" in broken.stderr


# A tailgate of long ago: it has the sink, but shares memory in another way.
OLD_PROGRAM = """#!/bin/sh
case "$1" in
  sinks) echo '[{"available": true}]' ;;
  *) echo '{"format": "tailgate-program", "protocol": 1, "header_bytes": 8}' ;;
esac
"""
PROGRAM_PROJECT = """[build]
command = "chmod +x old"
tailgate = "old"
[[run]]
scenario = "steady"
sinks = ["null"]
set = { rate_hz = 20_000 }
""" + RULES


def test_builds_of_another_protocol_are_no_verdict(clone):
    clone.commit(tailgate__toml=PROGRAM_PROJECT, old=OLD_PROGRAM)
    run = clone.gate("HEAD", "HEAD", "--nightly")
    assert run.returncode == 4, run.stdout + run.stderr
    assert "by protocol 1" in (clone.root / "out/report.md").read_text()


@pytest.mark.parametrize("build, words", [
    ("echo broken at line 7; exit 3", ("ended with exit code 3", "broken at line 7", "build.log")),
    ("true", ("ended well but made no", "mylog.so", "build.log"))])
def test_a_build_that_fails_is_no_verdict_and_names_its_log(clone, build, words):
    text = PLUGIN.replace(PLUGIN.splitlines()[1], f'command = "{build}"')
    clone.commit(tailgate__toml=text)
    run = clone.gate("HEAD", "HEAD")
    assert run.returncode == 4, run.stderr
    assert all(word in run.stderr for word in words), run.stderr


def test_the_build_of_another_command_or_flag_is_made_again(clone):
    clone.commit(tailgate__toml=BENCHMARK, bench=BENCH % 1000)
    assert "built\n" in clone.gate("HEAD", "HEAD", out="a").stdout
    assert "was built before" in clone.gate("HEAD", "HEAD", out="b").stdout
    (clone.root / "tailgate.toml").write_text(BENCHMARK.replace("chmod +x", "chmod a+x"))
    again = clone.gate("HEAD", "HEAD", out="c")
    assert "is being checked out and built" in again.stdout
    assert "uncommitted changes" in again.stderr


def test_a_project_may_be_a_folder_of_its_repository(tmp_path):
    clone = Clone(tmp_path, "tools/log")
    clone.commit(tailgate__toml=BENCHMARK, bench=BENCH % 1000)
    inner = clone.root / "src"
    inner.mkdir()
    run = clone.tailgate("gate", "HEAD", "HEAD", "--out", clone.root / "out", cwd=inner)
    assert run.returncode == 0, run.stdout + run.stderr
    builds = list((clone.root / ".tailgate/builds").iterdir())
    assert len(builds) == 1 and (builds[0] / "source/tools/log/bench").exists()


@pytest.mark.parametrize("arguments, words", [
    (("no-such", "HEAD"), "git knows no commit 'no-such'"),
    (("HEAD", "-c"), ""),
    (("HEAD", "HEAD", "--baseline", "x.json"), "they are revisions"),
    (("HEAD", "HEAD", "--policy", "none.toml"), "none.toml"),
    (("HEAD", "--nightly"), "")])
def test_wrong_command_lines_are_usage_errors(clone, arguments, words):
    clone.commit(tailgate__toml=BENCHMARK, bench=BENCH % 1000)
    run = clone.gate(*arguments)
    assert run.returncode == 2, run.stdout + run.stderr
    assert words in run.stderr


def test_revisions_need_a_project_and_a_repository(clone, tmp_path):
    clone.commit(a="a")
    run = clone.gate("HEAD", "HEAD")
    assert run.returncode == 2 and "tailgate init" in run.stderr
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "tailgate.toml").write_text(BENCHMARK)
    run = clone.tailgate("gate", "HEAD", "HEAD", cwd=bare)
    assert run.returncode == 2 and "no work tree" in run.stderr
    empty = BENCHMARK.split("[[benchmark]]", maxsplit=1)[0]
    clone.commit(tailgate__toml=empty)
    run = clone.gate("HEAD", "HEAD")
    assert run.returncode == 2 and "names no run and no benchmark" in run.stderr


def test_a_night_traces_rounds_of_its_duets_once(clone):
    text = PLUGIN.replace("explain_s = 0", "explain_s = 4")
    clone.commit(tailgate__toml=text + '[nightly]\nreference = "main"\nlooks = [8]\n'
                                       "resumed_looks = []\n"
                                       "false_fail = 0.02\n", log__c=plugin_source(0))
    night = clone.gate("HEAD", "HEAD", "--nightly")
    assert "==== traced rounds: steady against plugin" in night.stdout, night.stdout
    [file] = (clone.root / "out/duets").glob("*.json")
    duet = json.loads(file.read_text())
    assert len(duet["rounds"]) == 8
    assert duet["difference"]["rounds"] >= 1 or "permit" in duet["difference"]["limits"]
    again = clone.gate("HEAD", "HEAD", "--nightly")
    assert again.returncode == night.returncode
    assert "traced rounds:" not in again.stdout
    assert json.loads(file.read_text()) == duet


def test_a_plugin_project_runs_nothing_that_it_does_not_build(clone):
    clone.commit(tailgate__toml=PLUGIN.replace('["plugin"]', '["file"]'), log__c=plugin_source(0))
    run = clone.gate("HEAD", "HEAD")
    assert run.returncode == 2 and "which its build does not make" in run.stderr


def test_calls_that_cannot_be_read_are_a_usage_error(clone):
    clone.commit(tailgate__toml=CALLS.replace('"write"', '"write,,"'))
    run = clone.gate("HEAD", "HEAD")
    assert run.returncode == 2, run.stdout + run.stderr


def test_two_gates_in_one_project_do_not_measure_at_once(clone):
    clone.commit(tailgate__toml=BENCHMARK, bench=BENCH % 1000)
    assert clone.gate("HEAD", "HEAD").returncode == 0
    with open(clone.root / ".tailgate/lock", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run = clone.gate("HEAD", "HEAD")
    assert run.returncode == 4 and "another tailgate is at work" in run.stderr


def test_an_interrupted_build_is_made_again(clone):
    slow = BENCHMARK.replace('"chmod +x bench"', '"chmod +x bench; touch begun; sleep 60"')
    clone.commit(tailgate__toml=slow, bench=BENCH % 1000)
    with subprocess.Popen([str(PROGRAM), "gate", "HEAD", "HEAD", "--out", "out"], cwd=clone.root,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as run:
        builds = clone.root / ".tailgate/builds"
        while not list(builds.glob("*/source/begun")):
            assert run.poll() is None
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=30)
    assert run.returncode == 130
    assert not list(builds.glob("*/complete"))
    (clone.root / "tailgate.toml").write_text(BENCHMARK)
    run = clone.gate("HEAD", "HEAD")
    assert "is being checked out and built" in run.stdout and run.returncode == 0, run.stderr


def test_init_writes_a_project_that_is_gated(clone):
    clone.commit(bench=BENCH % 1000, Makefile="all:\n\tchmod +x bench\n")
    command = shlex.join(["./bench", "a b"])
    run = clone.tailgate("init", "--benchmark", command, "--ci", "github", "--ci", "gitlab")
    assert run.returncode == 0, run.stderr
    written = [line.split(": ")[1] for line in run.stdout.splitlines() if "wrote" in line]
    assert written == ["tailgate.toml", ".github/workflows/tailgate.yml", ".gitlab/tailgate.yml"]
    assert all((clone.root / name).read_text().startswith("# ") for name in written)
    again = clone.tailgate("init")
    assert again.returncode == 2 and "is there already" in again.stderr
    assert clone.tailgate("init", "--plugin", "../x.so", "--force").returncode == 2
    text = (clone.root / "tailgate.toml").read_text()
    (clone.root / "tailgate.toml").write_text(
        text.replace('# from = "gbench"', 'from = "numbers"') + RULES)
    clone.commit()
    gate = clone.gate("HEAD", "HEAD")
    assert gate.returncode == 0, gate.stdout + gate.stderr
