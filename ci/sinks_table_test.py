"""Tests of ci/sinks-table on results by construction."""

import json
import re
import sys
from pathlib import Path

from command_module import load_command

CI = Path(__file__).resolve().parent
sys.path.insert(0, str(CI.parent / "plots"))

import testing  # noqa: E402
from tables import marks  # noqa: E402


sinks_table = load_command("sinks-table")
BEGIN, END = marks("ci/sinks-table")


def result_with(sink, **changes):
    """1000 calls of 1 µs, one trial, its fields changed."""
    data = testing.steady([{1000: 1000}])
    data["sink"]["label"] = sink
    data["trials"][0].update(changes)
    return data


def rows(capsys, *arguments):
    assert sinks_table.main([str(argument) for argument in arguments]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_a_row_says_what_the_result_holds(tmp_path, capsys):
    data = result_with("journald", daemons=[{"name": "a", "cpu_ns": 9_000_000},
                                            {"name": "b", "cpu_ns": 3_000_000}])
    data["trials"][0]["ledger"].update(lost=50, delivered=940, unaccounted=10)
    data["trials"][0]["consumer"].update(events=940, read_s=0.001)
    testing.write(tmp_path, data)
    (cells,) = rows(capsys, tmp_path)
    assert cells[:2] == ["`journald`", "10k"]
    assert cells[3].split(" / ")[0] == "1 µs" and len(cells[3].split(" / ")) == 4
    assert cells[6:] == ["5 %", "10", "12 µs", "940k"]


def test_what_was_not_measured_is_a_dash(tmp_path, capsys):
    data = result_with("null")
    data["trials"][0]["ledger"]["checked"] = False
    data["trials"][0]["consumer"].update(events=0, read_s=0)
    del data["summary"][0]["delivery"]
    testing.write(tmp_path, data)
    (cells,) = rows(capsys, tmp_path)
    assert cells[5] == cells[7] == cells[8] == cells[9] == "–"


def test_the_cost_of_a_daemon_that_ended_is_not_guessed(tmp_path, capsys):
    testing.write(tmp_path, result_with("x", daemons=[{"name": "a"}, {"name": "b", "cpu_ns": 1}]))
    (cells,) = rows(capsys, tmp_path)
    assert cells[8].startswith("unknown")


def test_the_table_goes_between_its_marks_and_nowhere_else(tmp_path, capsys):
    results = tmp_path / "results"
    results.mkdir()
    testing.write(results, result_with("x"))
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    for _ in range(2):
        assert sinks_table.main([str(results), "--write", str(readme)]) == 0
        text = readme.read_text()
        assert text.startswith("before\n") and text.endswith("\nafter\n")
        assert "old" not in text and text.count("| `x`") == 1
    readme.write_text("no marks\n")
    assert sinks_table.main([str(results), "--write", str(readme)]) == 1
    assert "no" in readme.read_text() and "marks" in readme.read_text()
    assert "put both" in capsys.readouterr().err


def test_a_file_that_is_no_result_is_an_error(tmp_path, capsys):
    (tmp_path / "x.json").write_text(json.dumps({"format": "other"}))
    assert sinks_table.main([str(tmp_path)]) == 1
    assert "no result file" in capsys.readouterr().err


def test_texts_of_a_result_stay_in_their_cells(tmp_path, capsys):
    texts = ["a|b", "`x`", "back\\slash", "\x1b[2J", "one\ntwo", "[l](x) <b>"]
    for number, text in enumerate(texts):
        data = result_with(text)
        data["machine"] |= {"cpu_model": text, "kernel": text}
        data["label"] = text
        testing.write(tmp_path, data, f"{number}.json")
    assert sinks_table.main([str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    table = [line for line in shown.splitlines() if line.startswith("|")]
    assert len(table) == 2 + 6
    # Bars that no backslash escapes separate cells.
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {11}
    assert "\n\\[l\\](x) \\<b\\>, 2 processors" in shown
