"""Compares the heat map's cells and lines with intervals of known contents."""
import math

import pytest

import over_time
import testing
from caption import Skip


def drawn(runs, options):
    return [(name, [one for one in figure.axes if one.lines])
            for name, figure in over_time.draw(runs, options)]


def cells(panel):
    """{(column, row): count} of the heat map, and the edges of its rows in ns."""
    [mesh] = panel.collections
    corners = mesh.get_coordinates()
    rows, columns = corners.shape[0] - 1, corners.shape[1] - 1
    grid = mesh.get_array().reshape(rows, columns).filled(math.nan)
    edges = [float(height) for height in corners[:, 0, 1]]
    return {(column, row): int(count) for row, counts in enumerate(grid)
            for column, count in enumerate(counts) if not math.isnan(count)}, edges


def test_lines_and_cells_are_those_of_the_intervals(as_runs, options, line):
    intervals = [{1000: 98, 50_000: 2}, {}, {2000: 10}]
    [(name, [panel])] = drawn(as_runs(testing.steady([{1000: 5}], intervals=intervals)), options)
    assert name == "over_time-steady@file"
    middles, p50 = line(panel, "p50")
    assert middles == pytest.approx([0.05, 0.15, 0.25])
    assert p50[0] == 1000 and math.isnan(p50[1]) and p50[2] == 2000
    assert line(panel, "p99")[1][0] == 50_000
    assert line(panel, "max")[1][::2] == [50_000, 2000]
    filled, edges = cells(panel)
    found = {(column, value): count for (column, row), count in filled.items()
             for value in (1000, 2000, 50_000) if edges[row] <= value < edges[row + 1]}
    assert found == {(0, 1000): 98, (0, 50_000): 2, (2, 2000): 10}
    assert sum(filled.values()) == 110


def test_trials_stand_side_by_side_or_alone(as_runs, options):
    runs = as_runs(testing.steady([{1000: 5}] * 7, intervals=[{1000: 5}] * 3))
    [(_, panels)] = drawn(runs, options)
    assert [panel.get_title(loc="left") for panel in panels] == [f"trial {k}" for k in range(7)]
    options.trial = 4
    [(_, panels)] = drawn(runs, options)
    assert [panel.get_title(loc="left") for panel in panels] == ["trial 4"]


def test_a_gap_between_intervals_stays_empty():
    trial = testing.trial({1000: 2}, intervals=[{1000: 1}] * 3)
    del trial["intervals"][1]
    edges, latencies = over_time.columns(trial)
    assert edges == pytest.approx([0, 0.1, 0.2, 0.3])
    assert [latency and latency["count"] for latency in latencies] == [1, None, 1]


def test_a_trial_that_did_not_complete_says_so(as_runs, options):
    data = testing.steady([{1000: 5}], intervals=[{1000: 5}])
    data["trials"][0]["outcome"] = "killed"
    [(_, [panel])] = drawn(as_runs(data), options)
    assert panel.get_title(loc="left") == "trial 0 (killed)"


def test_each_run_gets_a_figure(as_runs, options):
    runs = as_runs(*(testing.steady([{9: 1}], intervals=[{9: 1}], sink=sink) for sink in "ab"))
    assert [name for name, _ in drawn(runs, options)] == [
        "over_time-steady@a", "over_time-steady@b"]


def test_without_intervals_it_is_skipped(as_runs, options):
    with pytest.raises(Skip, match="no interval with events"):
        drawn(as_runs(testing.steady([{1000: 5}])), options)
    options.trial = 9
    with pytest.raises(Skip, match="in trial 9"):
        drawn(as_runs(testing.steady([{1000: 5}], intervals=[{9: 1}])), options)
