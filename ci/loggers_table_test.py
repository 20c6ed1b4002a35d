"""Tests of ci/loggers-table on results by construction."""

import csv
import io
import re
import sys
from pathlib import Path

import pytest

from command_module import load_command

CI = Path(__file__).resolve().parent
sys.path.insert(0, str(CI.parent / "plots"))

import testing  # noqa: E402
from tables import marks  # noqa: E402

loggers_table = load_command("loggers-table")

ROWS = """
[[row]]
name = "second"
sink = "log_b.so:destination=file:mode=sync"

[[row]]
name = "first of all"
sink = "log_a.so:destination=file"
quick = true
most_threads = 1

[[left_out]]
name = "auditd"
reason = "needs the kernel"
"""
A, B = "./log_a.so:destination=file", "./log_b.so:destination=file:mode=sync"


def closed(label, values, *, scenario="max", threads=1, **changes):
    """A run in a closed loop."""
    plan = testing.load(0.0, threads=threads)
    trials = [testing.trial(values, plan=plan, **changes)]
    data = testing.result([testing.step_summary(trials, [values], [values])], trials,
                          scenario=scenario)
    data["sink"]["label"] = label
    return data


def open_loop(label, values, services=None, **changes):
    data = testing.steady([values], [services or values], **changes)
    data["sink"]["label"] = label
    return data


@pytest.fixture(name="folder")
def fixture_folder(tmp_path):
    (tmp_path / "rows.toml").write_text(ROWS)
    (tmp_path / "out").mkdir()
    return tmp_path


def run(folder, *arguments):
    return loggers_table.main([str(folder / "out"), "--rows", str(folder / "rows.toml"),
                               *map(str, arguments)])


def csv_rows(folder):
    assert run(folder, "--csv", folder / "x.csv") == 0
    return list(csv.DictReader(io.StringIO((folder / "x.csv").read_text())))


def put(folder, *results):
    for number, data in enumerate(results):
        testing.write(folder / "out", data, f"{number}.json")


def test_each_figure_is_the_results(folder):
    data = open_loop(A, {2000: 990, 50_000: 10}, {1000: 1000})
    data["summary"][0]["overhead"] = testing.roles(logging=3)
    put(folder, data, closed(A.replace("file", "null"), {100: 500, 300: 500}, scenario="batches"))
    (row,) = csv_rows(folder)
    assert row["logger"] == "first of all" and row["threads"] == "1"
    assert float(row["rate_hz"]) == 10_000
    assert float(row["advertised_ns_mean"]) == 200
    assert row["response_ns_p50"] == "2000" and row["response_ns_p99_9"] == "50000"
    assert row["service_ns_max"] == "1000"
    assert float(row["cpu_ns_per_event"]) == 3000
    assert row["lost"] == "0"


def test_a_closed_loop_has_no_response_times(folder):
    put(folder, closed(B, {700: 100}))
    (row,) = csv_rows(folder)
    assert row["rate_hz"] == "max" and row["response_ns_p99"] == ""
    assert row["service_ns_p50"] == "700" and row["advertised_ns_mean"] == ""


def test_rows_are_in_the_order_of_the_file_by_threads_and_rate(folder):
    put(folder, open_loop(A, {1: 9}), closed(A, {1: 9}, threads=4), closed(A, {1: 9}),
        closed(B, {1: 9}), closed("./log_new.so", {1: 9}))
    order = [(row["logger"], row["threads"], row["rate_hz"]) for row in csv_rows(folder)]
    assert order == [("second", "1", "max"), ("first of all", "1", "10000.0"),
                     ("first of all", "1", "max"), ("first of all", "4", "max"),
                     ("log_new.so", "1", "max")]


def test_losses_are_told_by_cause_and_nothing_is_hidden(folder):
    data = closed(A, {700: 1000})
    data["trials"][0]["ledger"].update(
        delivered=700, lost=250, unaccounted=50,
        losses=[{"cause": "queue full", "reported_by": "provider", "events": 200},
                {"cause": "closed", "reported_by": "call", "events": 50}])
    unchecked = closed(B, {700: 1000})
    unchecked["trials"][0]["ledger"]["checked"] = False
    put(folder, data, unchecked)
    lost = {row["logger"]: row["lost"] for row in csv_rows(folder)}
    assert lost == {"first of all": "20 % queue full, 5 % closed, 5 % unaccounted", "second": "?"}


def test_memory_is_that_of_the_program_and_its_daemons(folder, capsys):
    def overhead(provider, daemons):
        return {"start_ns": 0, "end_ns": 1, "events": 1, "processors": 2, "samples": 2,
                "sampler_cpu_ns": 0, "sampler_longest_ns": 0, "limits": "",
                "roles": [{"role": role, "processes": 1, "ended": 0,
                           "counters": {"peak_rss_bytes": size}}
                          for role, size in (("provider", provider), ("daemons", daemons),
                                             ("machine", 10**9))]}
    data = open_loop(A, {1000: 10}, version=3)
    data["trials"][0]["overhead"] = overhead(9_000_000, 5_000_000)
    data["controls"] = [testing.trial({30: 10}, overhead=overhead(4_000_000, 0))]
    put(folder, data)
    assert csv_rows(folder)[0]["memory_bytes"] == "14000000"
    shown = capsys.readouterr().out
    assert "14 MB" in shown and "logs nothing: 4 MB" in shown


def test_the_text_names_machine_versions_and_what_is_left_out(folder, capsys):
    data = open_loop(A, {1000: 10})
    data["trials"][0]["granted"].append({"name": "library", "value": "alog 1.2.3"})
    put(folder, data)
    assert run(folder) == 0
    shown = capsys.readouterr().out
    for text in ("Example CPU", "Linux 6.1.0", "2026-01-02", "alog 1.2.3",
                 "left out: auditd: needs the kernel", "not measured in this run: second"):
        assert text in shown


def test_the_short_table_sets_the_advertisement_beside_what_is_seen(folder):
    put(folder, open_loop(A, {2000: 999, 5_000_000: 1}),
        closed(A.replace("file", "null"), {100: 10}, scenario="batches"),
        closed(A, {700: 10}))
    readme = folder / "README.md"
    begin, end = marks("ci/loggers")
    readme.write_text(f"before\n{begin}\n{end}\nafter\n")
    assert run(folder, "--write", readme, "--markdown", folder / "x.md") == 0
    text = readme.read_text()
    assert text.startswith("before\n") and text.endswith("after\n")
    assert (folder / "x.md").read_text() in text
    assert "| first of all | 100 ns | 2 µs / 2 µs / 2 µs / 5 ms | 0, one thread |" in text


def test_a_run_that_failed_has_no_figure_and_is_named(folder, capsys):
    failed = closed(A.replace("file", "null"), {100: 10}, scenario="batches")
    failed["trials"][0].update(outcome="failed", outcome_detail="sync /dev/null: invalid argument")
    put(folder, open_loop(A, {2000: 999}), failed)
    assert run(folder, "--markdown", folder / "x.md") == 0
    assert "| first of all | – |" in (folder / "x.md").read_text()
    assert ("first of all, scenario batches: failed: sync /dev/null: invalid argument"
            in capsys.readouterr().out)


@pytest.mark.parametrize("mean, shown", [(-5.0, None), (0.0, None), (7.0, 7.0)])
def test_processor_time_that_is_lost_in_the_spinning_is_not_shown(mean, shown):
    role = {"role": "logging", "cpu_ns_per_event": {"mean": mean}}
    assert loggers_table.cpu_ns({"overhead": [role]}) == shown
    assert loggers_table.cpu_ns({}) is None


def test_texts_of_results_stay_in_their_cells(folder, capsys):
    hostile = "./a|b\x1b[2J<x>`"
    data = open_loop(hostile, {1000: 10})
    data["trials"][0]["granted"].append({"name": "library", "value": hostile})
    put(folder, data)
    assert run(folder, "--markdown", folder / "x.md") == 0
    text = (folder / "x.md").read_text() + capsys.readouterr().out
    assert "\x1b" not in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {5, 12}


def test_what_cannot_be_shown_is_an_error(folder, capsys):
    assert run(folder) == 1
    assert "no result file" in capsys.readouterr().err
    put(folder, closed(A, {1: 1}, scenario="batches"))
    assert run(folder) == 1
    assert "run ci/loggers" in capsys.readouterr().err


def test_what_is_to_be_measured_is_what_was_built(folder, capsys):
    (folder / "log_a.so").touch()
    arguments = ["--rows", str(folder / "rows.toml"), "--sinks", "--plugins", str(folder)]
    assert loggers_table.main(arguments) == 0
    shown = capsys.readouterr()
    assert shown.out == A + "\n" and "not built: second" in shown.err
    (folder / "log_b.so").touch()
    assert loggers_table.main(arguments) == 0
    assert capsys.readouterr().out == f"{B}\n{A}\n"
    assert loggers_table.main([*arguments, "--quick"]) == 0
    assert capsys.readouterr().out == A + "\n"
    assert loggers_table.main([*arguments, "--threads", "4"]) == 0
    assert capsys.readouterr().out == B + "\n"
    (folder / "log_a.so").unlink()
    (folder / "log_b.so").unlink()
    assert loggers_table.main(arguments) == 1
    assert "build them first" in capsys.readouterr().err


def test_the_rows_of_the_tree_name_their_sinks_once():
    rows = loggers_table.Rows(loggers_table.ROWS)
    sinks = [row["sink"] for row in rows.rows]
    assert len(set(sinks)) == len(sinks) and not any("," in sink for sink in sinks)
    assert len([row for row in rows.rows if row.get("quick")]) >= 12
