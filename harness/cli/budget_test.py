"""Budgets and recommendations on the command line, from made-up results whose answer is known.

TAILGATE_BUILD names the build folder.
"""

import copy
import json
import os
import subprocess
import xml.etree.ElementTree
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
FIXTURES = Path(__file__).resolve().parents[2] / "results/fixtures"
RESULT = json.loads((FIXTURES / "v5-steady@file_mode-mmap@quick.json").read_text())


def tailgate(*arguments, cwd):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, capture_output=True, text=True,
                          timeout=100, check=False)


def result(label, p99s_us, rate_hz=20_000, survives=None):
    """A run of 20,000 calls a trial in which nothing went wrong, with these 99th percentiles."""
    made = copy.deepcopy(RESULT)
    trial = made["trials"][0]
    made["trials"] = []
    made["traced"] = made["controls"] = made["disturbance"] = made["remarks"] = []
    made["sink"].update(name=label.split(":")[0], label=label)
    if survives:
        made["sink"]["survives"] = survives
    for index, p99_us in enumerate(p99s_us):
        one = copy.deepcopy(trial)
        one["index"] = index
        one["load"]["rate_hz"] = one["load"]["end_rate_hz"] = rate_hz
        one["achieved_rate_hz"] = rate_hz
        one["response"]["p99_ns"] = round(1000 * p99_us)
        made["trials"].append(one)
    step = made["summary"][0]
    step.update(rate_hz=rate_hz, achieved_rate_hz=rate_hz, trials=len(p99s_us), saturated=False)
    step["response"]["p99_ns"] = round(1000 * sorted(p99s_us)[len(p99s_us) // 2])
    step["response"]["count"] = 20_000 * len(p99s_us)
    return made


def save(folder, **results):
    for name, made in results.items():
        (folder / f"{name}.json").write_text(json.dumps(made))


def lose(made, trial=0):
    made["trials"][trial]["ledger"].update(lost=1, delivered=24_999, losses=[
        {"cause": "full", "reported_by": "provider", "events": 1}])
    return made


VERDICTS = [
    ([40, 41, 42], "file: p99 < 50us, lost = 0", 0, "PASS 2 bounds: 2 pass"),
    ([60, 61, 62], "file: p99 < 50us, lost = 0", 1, "FAIL 2 bounds: 1 fail, 1 pass"),
    ([40, 50, 60], "file: p99 < 50us", 3, "INCONCLUSIVE"),
    ([40], "file: p99 < 50us, lost = 0", 3, "run more trials: --trials 5"),
    ([40, 41, 42], "file@5k: p99 < 50us", 4, "measured: steady@file:mode=mmap@20k"),
    ([40, 41, 42], "file: p99.9 < 1s", 0, "PASS"),
    ([40, 41, 42], "steady@file:mode=mmap@20k: rate >= 20k", 0, "PASS"),
    ([40, 41, 42], "quick@file: p99 < 50us", 0, "PASS"),
    ([40, 41, 42], "burst@file: p99 < 50us", 4, "INVALID"),
]


@pytest.mark.parametrize("p99s, budget, code, answer", VERDICTS, ids=[row[1] for row in VERDICTS])
def test_the_exit_code_is_the_verdict(tmp_path, p99s, budget, code, answer):
    save(tmp_path, a=result("file:mode=mmap", p99s))
    done = tailgate("budget", ".", "--budget", budget, cwd=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert answer in " ".join(done.stdout.split()), done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_a_lost_event_fails_and_a_busy_machine_is_invalid(tmp_path):
    save(tmp_path, a=lose(result("file", [40])))
    done = tailgate("budget", "a.json", "--budget", "file: lost = 0", cwd=tmp_path)
    assert done.returncode == 1 and "lost was 1 in the worst trial" in done.stdout
    busy = result("file", [40, 41, 42])
    busy["trials"][1]["noise"]["lost_share"] = 0.2
    save(tmp_path, a=busy)
    done = tailgate("budget", "a.json", "--budget", "file: p99 < 50us", cwd=tmp_path)
    assert done.returncode == 4 and "busy in 1 of 3 trials" in done.stdout


def test_a_verdict_says_that_nobody_looked_whether_the_machine_was_free(tmp_path):
    unobserved = result("file", [40, 41, 42])
    unobserved["trials"][1]["noise"]["observed_ns"] = 0
    save(tmp_path, a=unobserved, b=result("spdlog", [40, 41, 42]))
    done = tailgate("budget", ".", "--budget", "file: p99 < 50us", "--budget",
                    "spdlog: p99 < 50us", "--json", "v.json", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.count("nobody looked") == 1
    assert "before 1 of 3 trials" in " ".join(done.stdout.split())
    remarks = [len(b["remarks"]) for b in json.loads((tmp_path / "v.json").read_text())["budgets"]]
    assert remarks == [1, 0]


def test_verdicts_are_written_as_junit_and_json(tmp_path):
    save(tmp_path, a=result("file", [40, 41, 42]), b=result("spdlog", [60, 61, 62]))
    done = tailgate("budget", "a.json", "b.json", "--budget", "file: p99 < 50us, lost = 0",
                    "--budget", "spdlog@20k: p99 < 50us", "--junit", "v.xml", "--json", "v.json",
                    cwd=tmp_path)
    assert done.returncode == 1
    suites = xml.etree.ElementTree.parse(tmp_path / "v.xml").getroot()
    assert (suites.get("tests"), suites.get("failures"), suites.get("errors")) == ("3", "1", "0")
    (failure,) = suites.iter("failure")
    assert failure.get("message").startswith("fail: p99 is 61.00us")
    verdicts = json.loads((tmp_path / "v.json").read_text())
    assert verdicts["outcome"] == "fail"
    assert [budget["outcome"] for budget in verdicts["budgets"]] == ["pass", "fail"]
    (bound,) = verdicts["budgets"][1]["bounds"]
    assert bound["value"] == 61_000 and bound["low"] < 61_000 < bound["high"]


def test_a_file_of_budgets(tmp_path):
    save(tmp_path, a=result("file", [40, 41, 42]))
    (tmp_path / "budget.toml").write_text(
        '[[budget]]\nsink = "file"\nrate = "20k"\nbounds = ["p99 < 50us", "lost = 0"]\n')
    done = tailgate("budget", "a.json", "--budgets", "budget.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    done = tailgate("budget", "a.json", "--budgets", "budget.toml", "--budget", "file: p99 < 30us",
                    cwd=tmp_path)
    assert done.returncode == 1
    (tmp_path / "budget.toml").write_text('[[budget]]\nsink = "file"\nbounds = ["p99 < 50"]\n')
    done = tailgate("budget", "a.json", "--budgets", "budget.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "budget.toml:3: " in done.stderr and "p99 < 50us" in done.stderr


def run(folder, *more):
    return tailgate("run", "steady", "--sink", "file", "--set", "rate_hz=1000", "--set",
                    "duration_s=0.3", "--set", "warmup_s=0.1", "--trials", "3", "--noise-s", "0",
                    "--no-control", "--quiet", "--out", "out", *more, cwd=folder)


def test_a_run_is_judged_by_its_budgets(tmp_path):
    done = run(tmp_path, "--budget", "file: rate >= 500, lost = 0", "--budget",
               "steady@file@1k: p50 < 10s")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS  3 bounds: 3 pass" in done.stdout
    done = run(tmp_path, "--force", "--budget", "file: rate >= 500M")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FAIL" in done.stdout
    done = run(tmp_path, "--force", "--json", "--budget", "file: cpu < 1s, p99.9 < 10s")
    assert done.returncode == 4
    assert len(json.loads(done.stdout)) == 1 and "INVALID" in done.stderr


@pytest.mark.parametrize("budget, answer", [
    ("spdlog: lost = 0", "the budget of spdlog plays no part in this run of steady@file@1k"),
    ("burst@file: lost = 0", "the budget of burst@file plays no part"),
    ("file@2k: lost = 0", "the budget of file@2k plays no part"),
    ("flie: lost = 0", "there is no sink 'flie'"),
])
def test_a_budget_that_plays_no_part_is_refused_before_anything_runs(tmp_path, budget, answer):
    done = run(tmp_path, "--budget", "file: lost = 0", "--budget", budget)
    assert done.returncode == 2 and answer in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_wrong_budget_is_told_before_anything_runs(tmp_path):
    done = run(tmp_path, "--budget", "file: p99 < 50")
    assert done.returncode == 2 and "'50' does not end in a unit of p99" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_run_that_cannot_be_made_is_no_broken_budget(tmp_path):
    (tmp_path / "out").write_text("a file")
    done = run(tmp_path, "--budget", "file: lost = 0")
    assert done.returncode in (2, 4), done.stderr


def test_the_sink_that_qualifies_is_recommended(tmp_path):
    save(tmp_path, a=result("file", [40, 41, 42], survives="kill"),
         b=result("spdlog", [1, 1.1, 1.2], survives="nothing"),
         c=lose(result("lttng", [2, 2, 2], survives="kill")),
         d=result("journald", [5, 5, 5], 1_000, "kill"))
    done = tailgate("recommend", ".", "--rate", "20k", "--survives", "kill", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert said.startswith("Use file: at 20k events/s of 128 bytes")
    assert "May the numbers be trusted? Yes." in said
    assert "not spdlog: its events survive nothing, and kill is asked for" in said
    assert "not lttng: it lost 1 of 75000 events" in said
    assert "not journald: it was not measured at that load; nearest: steady 1k/s" in said
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    anything = tailgate("recommend", ".", "--rate", "20k", "--json", cwd=tmp_path)
    assert json.loads(anything.stdout)["use"] == "spdlog"
    lossy = tailgate("recommend", ".", "--rate", "20k", "--loss", "0.1%", "--survives", "kill",
                     "--json", cwd=tmp_path)
    assert json.loads(lossy.stdout)["use"] == "lttng"
    none = tailgate("recommend", ".", "--rate", "20k", "--survives", "crash", cwd=tmp_path)
    assert none.returncode == 1 and "None qualifies of the 3 sinks" in none.stdout


def test_what_older_results_do_not_say_is_asked_of_the_sinks(tmp_path):
    """But no library is loaded because a file names it."""
    options = "file:mode=fdatasync:sync_every=1"
    save(tmp_path, a=result(options, [40, 41, 42]), b=result("./none.so:mode=x", [1, 1, 1]),
         c=result("file:mode=mmap", [2, 2, 2]))
    done = tailgate("recommend", ".", "--rate", "20k", "--survives", "crash", "--json",
                    cwd=tmp_path)
    answer = json.loads(done.stdout)
    assert answer["use"] == options, done.stderr
    survives = {sink["sink"]: sink.get("survives") for sink in answer["sinks"]}
    assert survives == {options: "crash", "file:mode=mmap": "kill", "./none.so:mode=x": None}


def test_what_a_run_measures_says_what_its_events_survive(tmp_path):
    assert run(tmp_path).returncode == 0
    (path,) = (tmp_path / "out").iterdir()
    assert json.loads(path.read_text())["sink"]["survives"] == "kill"
