"""Tests of ci/faults: it names what must not be, and the built program survives a sample of faults.

TAILGATE_BUILD names the build folder.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_module import load_command

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fault_campaign import cell, kinds  # noqa: E402

faults = load_command("faults")


def trial(outcome="completed", **ledger):
    ledger = {"checked": True, "emitted": 10, "delivered": 10, "lost": 0, "unaccounted": 0,
              "losses": [], "unaccounted_cause": ""} | ledger
    return {"outcome": outcome, "outcome_detail": "detail", "ledger": ledger}


def said(exit_code, *trials, errors="tailgate: why\n", ended_by_us=False, complete=True):
    results = [{"complete": complete, "trials": list(trials)}] if trials else []
    return cell.outcome(exit_code, results, errors, ended_by_us)[0]


def test_what_a_run_may_say():
    assert said(0, trial()) == "balanced"
    assert said(0, trial(delivered=8, lost=2, losses=[{"cause": "full"}])) == "lost"
    assert said(1, trial(delivered=8, unaccounted=2, unaccounted_cause="why")) == "unaccounted"
    assert said(1, trial("unchecked", checked=False, unchecked_cause="why")) == "unchecked"
    assert said(2) == "refused"
    assert said(1, trial("failed", emitted=0, delivered=0)) == "refused"
    assert said(-signal.SIGKILL, ended_by_us=True) == "ended"
    assert said(1, errors=None) == "refused", "the fault keeps its message from us"


@pytest.mark.parametrize("wrong, outcome", [
    ("unchecked and passed", (0, trial(checked=False))),
    ("unchecked without a cause", (1, trial("unchecked", checked=False))),
    ("unaccounted and passed", (0, trial(delivered=8, unaccounted=2, unaccounted_cause="why"))),
    ("unaccounted without a cause", (1, trial(delivered=8, unaccounted=2))),
    ("less than nothing unaccounted", (1, trial(lost=10, unaccounted=-10))),
    ("does not add up", (0, trial(delivered=8))),
    ("incomplete and passed", (0, trial("hung"))),
    ("nothing measured and passed", (0,)),
    ("did not end", (None,)),
    ("crashed by signal 11", (-signal.SIGSEGV, trial()))])
def test_what_a_run_must_not_say(wrong, outcome):
    assert said(*outcome) == wrong
    assert wrong not in cell.SAID


def test_a_refusal_without_a_word_and_a_word_of_a_bug_are_errors():
    assert said(2, errors="") == "refused silently"
    assert said(1, errors="this is a bug in tailgate") == "called a bug"
    assert said(-signal.SIGKILL, trial(), ended_by_us=True) == "complete though killed"


def test_every_fault_has_an_expectation_for_every_sink():
    sinks, table = faults.load_expectations(faults.EXPECTED, kinds.FAULTS)
    assert len(kinds.FAULTS) >= 20
    for fault in kinds.FAULTS:
        for sink in sinks:
            assert faults.expectation(table, fault.name, sink)


def test_a_sinks_own_row_counts_before_its_familys():
    table = {"f": {"any": ["lost"], "file": ["balanced"], "file:mode=stdio": ["unaccounted"]}}
    assert faults.expectation(table, "f", "file:mode=stdio") == ["unaccounted"]
    assert faults.expectation(table, "f", "file:mode=mmap") == ["balanced"]
    assert faults.expectation(table, "f", "null") == ["lost"]


def test_a_row_that_nobody_reads_is_refused(tmp_path):
    text = faults.EXPECTED.read_text()
    for addition, word in (('["no such fault"]\nany = ["lost"]\n', "no such fault"),
                           ('["fault 2"]\nany = ["fine"]\n', "fault 2")):
        (tmp_path / "t.toml").write_text(text + addition)
        with pytest.raises(ValueError, match=word):
            faults.load_expectations(tmp_path / "t.toml", kinds.FAULTS)


def test_the_table_marks_what_was_not_expected():
    shown = faults.markdown({("none", "file"): ("lost", False), ("none", "null"): ("lost", True)},
                            ["file", "null"], kinds.FAULTS[:1], 60)
    assert "| none | **lost** | lost |" in shown and "1 not as expected" in shown


# Each ends a different role, or takes away what a sink writes to.
SAMPLE = ["none", "provider killed", "consumer killed", "daemons killed", "namespace holder killed",
          "controller killed", "terminal interrupts all", "provider stops for good",
          "disk of the scratch is full", "few descriptors", "streams closed",
          "place of results removed"]


def test_a_sample_of_the_campaign():
    program = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
    command = [sys.executable, "-B", str(faults.ROOT / "ci/faults"), "--program", str(program)]
    for sink in ("file", "spdlog", "syslog"):
        command += ["--sink", sink]
    for fault in SAMPLE:
        command += ["--fault", fault]
    run = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert " 0 not as expected" in run.stdout
