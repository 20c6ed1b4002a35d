"""Tests of ci/baselines on results by construction."""

import shlex
import sys
from pathlib import Path

import pytest

from command_module import load_command

CI = Path(__file__).resolve().parent
sys.path.insert(0, str(CI.parent / "plots"))

import testing  # noqa: E402


baselines = load_command("baselines")


def result(p50_ns, cpu_ns=None):
    """Two trials of 1000 equal calls."""
    data = testing.steady([{p50_ns: 1000}, {p50_ns + 1: 1000}])
    if cpu_ns is not None:
        data["summary"][0]["overhead"] = [
            {"role": "provider", "trials": 2, "cpu_ns_per_event": {"mean": 1.0}},
            {"role": "logging", "trials": 2, "cpu_ns_per_event": {"mean": cpu_ns}}]
    return data


# As tailgate writes a reason; what is longer than a line goes on in the next.
NOTE = "B  after.json\n  ! not comparable: {}\n    -> lower it\nrate/s time\n"


class Night:
    """A folder of results, baselines, and a program that answers with an exit code."""

    def __init__(self, folder):
        self.results = folder / "results"
        self.stored = folder / "baselines"
        self.program = folder / "tailgate"
        self.results.mkdir()
        self.says(3, "")

    def says(self, code, text):
        self.program.write_text(f"#!/bin/sh\necho {shlex.quote(text)}\nexit {code}\n")
        self.program.chmod(0o755)

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
    assert row[0] == "steady" and row[2] == "10000"
    # No trial of either lies among those of the other, so it stands out.
    assert row[3:7] == ["**+50 %**"] * 4
    assert row[7:] == ["-25 %", "–", "–"]


def test_a_change_within_the_trials_does_not_stand_out(night, capsys):
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
    other["machine"]["fingerprint"] = "elsewhere"
    assert "has none" in night.compare(other, capsys)
    cut = result(2000)
    cut["complete"] = False
    before = kept.read_text()
    night.compare(cut, capsys, "--store")
    assert kept.read_text() == before


def test_the_program_tells_what_may_not_be_compared(night, capsys):
    night.compare(result(1000), capsys, "--store")
    night.says(4, NOTE.format("2 of A's 2 trials have events\n    unaccounted for"))
    text = night.compare(result(1000), capsys)
    assert ": 2 of A's 2 trials have events unaccounted for\n" in text and "| `" not in text
    night.program.write_text("#!/bin/sh\necho 'no such file' >&2\nexit 2\n")
    assert "ended with exit code 2: no such file\n" in night.compare(result(1000), capsys)


def test_a_rate_that_was_missed_leaves_the_other_rates(night, capsys):
    data = testing.sweep([(1000, 1000, False, {1000: 1000}), (5000, 4000, True, {1500: 1000})])
    night.compare(data, capsys, "--store")
    night.says(4, NOTE.format("step 1 (5000/s): 1 of A's 1 trials missed the rate"))
    text = night.compare(data, capsys)
    assert cells(text)[2] == "1000"
    assert "step 1 (5000/s): 1 of A's 1 trials missed the rate\n" in text


@pytest.mark.parametrize("before, after, text", [
    (100, 150, "+50 %"), (100, 50, "-50 %"), (0, 0, "0"), (-1.5, 2, "-1.5 to 2"), (None, 1, "–")])
def test_changes_are_ratios_where_there_can_be_one(before, after, text):
    assert baselines.change(before, after) == text
