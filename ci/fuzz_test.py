"""Tests of ci/fuzz: what it makes of what a target prints, and of a target that finds something."""

import re
from pathlib import Path

import pytest

from command_module import load_command

CI = Path(__file__).resolve().parent
fuzz = load_command("fuzz")

# What libFuzzer of clang 14 prints.
LOG = """INFO: seed corpus: files: 2 min: 1b max: 9b total: 10b rss: 30Mb
#3\tINITED cov: 10 ft: 12 corp: 2/10b exec/s: 0 rss: 31Mb
#40\tNEW    cov: 15 ft: 18 corp: 3/14b lim: 4 exec/s: 0 rss: 31Mb L: 4/4 MS: 1 ChangeBit-
#4096\tpulse  cov: 15 ft: 18 corp: 3/14b lim: 43 exec/s: 2048 rss: 40Mb
#5000\tDONE   cov: 15 ft: 18 corp: 3/14b lim: 50 exec/s: 2500 rss: 41Mb
Done 5000 runs in 2 second(s)
stat::number_of_executed_units: 5000
"""


@pytest.fixture(name="target")
def fixture_target(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz, "BUILD", tmp_path / "build")

    def make(script, name="x"):
        program = tmp_path / name
        program.write_text(f"#!/bin/bash\n{script}\n")
        program.chmod(0o755)
        return fuzz.Target(name, str(program), [])
    return make


def test_figures_are_those_that_libfuzzer_printed():
    outcome = fuzz.outcome_of(LOG)
    assert (outcome.inputs, outcome.coverage, outcome.corpus) == (5000, "15", "3")
    # A target that found something ends without its statistics.
    assert fuzz.outcome_of(LOG.split("#5000")[0] + "==1==ERROR: AddressSanitizer").inputs == 4096
    assert fuzz.outcome_of("3171 inputs\n").inputs == 3171
    assert fuzz.outcome_of("").inputs == 0


def test_a_target_that_finds_something_names_the_input_and_fails(target, tmp_path, monkeypatch,
                                                                 capsys):
    # Options as libFuzzer takes them; the input is kept where the prefix says.
    script = ('for o in "$@"; do case $o in -artifact_prefix=*) p=${o#*=} ;; esac; done\n'
              'echo bad >"${p}crash-1"; echo "Test unit written to ${p}crash-1"; exit 77')
    found = [target(script, "bad"), target("echo '5 inputs'", "good")]
    monkeypatch.setattr(fuzz, "configure", lambda: None)
    steps = []
    monkeypatch.setattr(fuzz, "run_step", lambda what, command: steps.append(command))
    monkeypatch.setattr(fuzz, "all_targets", lambda: found)
    out = tmp_path / "out"
    assert fuzz.fuzz(fuzz.parse_arguments(["--no-setup", "--seconds", "2", "--out", str(out)])) == 1
    shown = capsys.readouterr().out
    assert f"finding of bad: {out}/bad-crash-1" in shown and (out / "bad-crash-1").exists()
    assert re.search(r"\| good \| 5 \| \d+ \| - \| - \| 0 \|", shown)
    assert fuzz.fuzz(fuzz.parse_arguments(["--no-setup", "--out", str(out), "good"])) == 0
    assert [step[-2:] for step in steps] == [["bad", "good"], ["--target", "good"]]


def test_limits_are_findings(target, tmp_path):
    command = fuzz.command_of(target("exit 0"), 9.6, tmp_path)
    assert "-max_total_time=48" in command and "-timeout=10" in command
    assert "-rss_limit_mb=2048" in command


def test_a_target_ends_when_it_has_used_its_processor_time(target, tmp_path):
    busy = target("trap 'echo \"#7 DONE cov: 1\"; exit 0' USR1; while :; do :; done")
    outcome = fuzz.run_target(busy, 0.5, tmp_path)
    assert outcome.inputs == 7 and outcome.cpu_s >= 0.5 and not outcome.findings


# As libFuzzer: kept after an alarm, and run alone where the last argument is a file.
LATE = """for o in "$@"; do case $o in -artifact_prefix=*) p=${o#*=} ;; esac; done
if [ -z "$p" ]; then echo alone; exit %d; fi
if [ -e "${p}timeout-1" ]; then echo "#9 DONE cov: 2"; exit 0; fi
echo x >"${p}timeout-1"; echo "#4 pulse cov: 1"
echo "Test unit written to ${p}timeout-1"; exit 70"""


def test_an_input_that_was_late_on_a_busy_machine_is_no_finding(target, tmp_path):
    outcome = fuzz.run_target(target(LATE % 0), 30, tmp_path)
    assert (outcome.inputs, outcome.coverage, outcome.findings, outcome.busy) == (13, "2", [], 1)
    assert "alone" in (tmp_path / "x.log").read_text()


def test_an_input_that_is_late_alone_is_a_finding(target, tmp_path):
    outcome = fuzz.run_target(target(LATE % 70), 30, tmp_path)
    assert outcome.findings == [f"{tmp_path}/x-timeout-1"] and outcome.busy == 0


def test_an_unknown_target_is_named_with_the_known_ones(target):
    with pytest.raises(fuzz.CannotFuzz, match="'nose'; there are: x"):
        fuzz.chosen([target("")], ["nose"])


def test_every_fuzz_target_of_the_tree_is_built():
    sources = {path.relative_to(CI.parent).as_posix()
               for path in CI.parent.glob("[hps]*/**/*_fuzz.cpp")}
    named = set()
    for lists in CI.parent.glob("[hps]*/**/CMakeLists.txt"):
        folder = lists.parent.relative_to(CI.parent).as_posix()
        text = lists.read_text()
        for call in re.findall(r"tailgate_fuzz\((.*?)\)", text, re.S):
            for part in re.findall(r"foreach\(part ([^)]*)\)", text) or [""]:
                for name in part.split() or [""]:
                    named |= {f"{folder}/{file.replace('${part}', name)}"
                              for file in re.findall(r"\S+_fuzz\.cpp", call)}
    assert sources == named
