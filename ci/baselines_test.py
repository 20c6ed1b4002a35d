"""Tests of ci/baselines on results by construction, which the built program compares.

TAILGATE_BUILD names the build folder.
"""

import os
import re
import sys
from pathlib import Path

import pytest

from command_module import load_command

CI = Path(__file__).resolve().parent
PROGRAM = Path(os.environ["TAILGATE_BUILD"]).resolve() / "tailgate"
sys.path.insert(0, str(CI.parent / "plots"))

import testing  # noqa: E402


baselines = load_command("baselines")


def with_overhead(data, cpu_ns):
    """The result as of version 3, which has overhead: what logging cost in each step."""
    data |= {"version": 3, "controls": [], "explained": False, "traced": [], "disturbance": []}
    for trial in data["trials"]:
        trial["daemons"] = []
    for summary in data["summary"]:
        summary["controls"] = 0
        summary["overhead"] = [
            {"role": "provider", "trials": 2, "cpu_ns_per_event": {"mean": 1.0}},
            {"role": "logging", "trials": 2, "cpu_ns_per_event": {"mean": cpu_ns}}]
    return data


def result(p50_ns, cpu_ns=None):
    """Two trials of 1000 equal calls."""
    data = testing.steady([{p50_ns: 1000}, {p50_ns + 1: 1000}])
    return data if cpu_ns is None else with_overhead(data, cpu_ns)


class Night:
    """A folder of results, and baselines."""

    def __init__(self, folder):
        self.results = folder / "results"
        self.stored = folder / "baselines"
        self.program = PROGRAM
        self.results.mkdir()

    def compare(self, data, capsys, *options):
        for path in self.results.iterdir():
            path.unlink()
        testing.write(self.results, data)
        assert baselines.main([str(self.results), "--baselines", str(self.stored), "--program",
                               str(self.program), *options]) == 0
        return capsys.readouterr().out


@pytest.fixture(name="night")
def fixture_night(tmp_path):
    return Night(tmp_path)


def cells(text):
    [line] = [line for line in text.splitlines() if "| `" in line]
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_the_change_of_times_and_of_overhead_is_tabulated(night, capsys):
    night.compare(result(1000, cpu_ns=800), capsys, "--store")
    row = cells(night.compare(result(1500, cpu_ns=600), capsys))
    assert row[:3] == ["steady", "`file`", "10000"]
    # The trials of one result lie apart from the other's.
    assert row[3:7] == ["**+50 %**"] * 4
    assert row[7:] == ["-25 %", "–", "–"]


def test_a_change_within_the_trials_is_not_bold(night, capsys):
    night.compare(result(1000), capsys, "--store")
    assert cells(night.compare(result(1000), capsys))[3] == "+0 %"


def test_without_baselines_it_says_how_to_get_them(night, capsys):
    assert "--store-baselines" in night.compare(result(1000), capsys)


def test_baselines_are_kept_by_machine_and_never_of_a_run_that_was_cut(night, capsys):
    data = result(1000)
    assert "1 results were kept" in night.compare(data, capsys, "--store")
    [kept] = night.stored.glob("*/*.json")
    assert kept.parent.name == data["machine"]["fingerprint"]
    other = result(1000)
    other["machine"]["fingerprint"] = "fedcba9876543210"
    assert "has none" in night.compare(other, capsys)
    cut = result(2000)
    cut["complete"] = False
    before = kept.read_text()
    night.compare(cut, capsys, "--store")
    assert kept.read_text() == before


@pytest.mark.parametrize("fingerprint", ["../../../evil", "/evil", "", "0123456789ABCDEF", 7])
def test_a_fingerprint_that_leads_elsewhere_is_refused(night, capsys, fingerprint):
    data = result(1000)
    data["machine"]["fingerprint"] = fingerprint
    with pytest.raises(baselines.CannotCompare, match="fingerprint"):
        night.compare(data, capsys, "--store")
    assert not list(night.stored.parent.rglob("evil"))


@pytest.mark.parametrize("text", ["\x1b[2J\x1b]0;title\x07 \x9b31m \u202egnp", "| x | `y`\n# z\r\n",
                                  "<script>a</script>[b](javascript:c)"])
def test_no_text_of_a_result_controls_the_terminal_or_the_table(night, capsys, text):
    data = result(1000)
    data["scenario"]["name"] = "s" + text
    data["sink"]["label"] = data["sink"]["name"] = "f" + text
    data["remarks"] = [{"what": text, "remedy": text}]
    night.compare(data, capsys, "--store")
    shown = night.compare(data, capsys)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)
    [row] = [line for line in shown.splitlines() if "| 10000 |" in line]
    assert row.startswith("| s")
    assert "\n# z" not in shown and "<script>" not in re.sub("`+.*?`+|\\\\.", "", row)


def test_what_may_not_be_compared_is_named_with_the_reason(night, capsys):
    data = result(1000)
    night.compare(data, capsys, "--store")
    data["trials"][0]["ledger"] |= {"unaccounted": 3, "delivered": 997}
    text = night.compare(data, capsys)
    assert ": 1 of B's 2 trials have events unaccounted for\n" in text and "| `" not in text


def test_a_rate_that_was_missed_leaves_the_other_rates(night, capsys):
    data = testing.sweep([(1000, 1000, False, {1000: 1000}), (5000, 4000, True, {1500: 1000})])
    night.compare(data, capsys, "--store")
    text = night.compare(data, capsys)
    assert cells(text)[2] == "1000"
    assert "; step 1 (5000/s): 1 of B's 1 trials missed the rate\n" in text


def test_a_step_that_no_trial_completed_has_no_row(night, capsys):
    data = result(1000)
    night.compare(data, capsys, "--store")
    for trial in data["trials"]:
        trial["outcome"] = "crashed"
    assert "| `" not in night.compare(data, capsys)


def test_a_program_that_compares_nothing_is_reported(night, capsys, tmp_path):
    night.compare(result(1000), capsys, "--store")
    night.program = tmp_path / "tailgate"
    night.program.write_text("#!/bin/sh\necho 'no such file' >&2\nexit 2\n")
    night.program.chmod(0o755)
    assert "ended with exit code 2: no such file\n" in night.compare(result(1000), capsys)


@pytest.mark.parametrize("figure, text", [
    ({"a": 100, "b": 150, "change": 0.5}, "+50 %"), ({"a": 100, "b": 50, "change": -0.5}, "-50 %"),
    ({"a": 0, "b": 0}, "0"), ({"a": -1.5, "b": 2}, "-1.5 to 2"), (None, "–")])
def test_changes_are_ratios_where_there_can_be_one(figure, text):
    assert baselines.change_text(figure) == text
