"""Compares the heat map's cells and lines with intervals of known contents."""
import math

import pytest

import bursts
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


def ramp(duration_s=0.3, **changes):
    plan = testing.load(1000.0, shape="ramp", end_rate_hz=4000.0, duration_s=duration_s)
    data = testing.steady([{1000: 5}], intervals=[{1000: 5}, {2000: 6}, {3000: 7}], **changes)
    data["trials"][0]["load"] = plan
    return data


def test_a_ramp_is_drawn_over_its_rate(as_runs, options, line):
    [(_, [panel])] = drawn(as_runs(ramp()), options)
    rates, p50 = line(panel, "p50")
    assert rates == pytest.approx([1500, 2500, 3500]) and p50 == [1000, 2000, 3000]
    assert panel.get_xlim() == pytest.approx((1000, 4000))
    assert "target rate" in panel.get_xlabel()
    assert not [one for one in panel.patches if one.get_label() == "after the ramp"]


def test_what_follows_a_ramp_is_hatched(as_runs, options):
    [(_, [panel])] = drawn(as_runs(ramp(duration_s=0.2)), options)
    [after] = [one for one in panel.patches if one.get_label() == "after the ramp"]
    assert after.get_xy()[:, 0].min() == 4000 and panel.get_xlim()[1] == pytest.approx(5500)
    assert [text.get_text() for text in panel.texts] == ["hatched: 100 ms after the ramp's end"]


def burst(gap_s, values=None, **changes):
    plan = testing.load(1000.0, shape="burst", burst_events=10, burst_gap_s=gap_s)
    data = testing.steady([values or {1000: 20}], intervals=[{1000: 10}, {}, {1000: 10}])
    data["trials"][0] |= {"load": plan} | changes
    return data


def test_a_burst_shows_when_its_calls_returned(as_runs, options):
    # Two bursts of ten events: in each six calls return after 1 us, four after 50 ms.
    [(_, figure)] = over_time.draw(as_runs(burst(0.02, {1000: 12, 50_000_000: 8})), options)
    within, over = [one for one in figure.axes if one.lines]
    [stairs] = [one for one in within.patches if one.get_label() == "returned"]
    counts, edges = stairs.get_data().values, stairs.get_data().edges
    assert {round(float(count), 9) for count in counts} == {0, 4, 6}
    [first] = [k for k, count in enumerate(counts) if count == pytest.approx(6)]
    assert edges[first] <= 1000 < edges[first + 1]
    assert {one.get_label(): one.get_xdata()[0] for one in within.lines} == {
        "p50": 1000, "p99": 50_000_000, "max": 50_000_000, "next burst": 20_000_000}
    assert within.get_title(loc="left") == "trial 0" and over.get_title(loc="left") == ""


def test_columns_too_long_for_the_bursts_are_noted():
    def notes(gap_s):
        return bursts.notes(burst(gap_s)["trials"])
    assert notes(0.2) == []
    assert notes(0.1) == ["A column of the lower panels is 100 ms long, and a burst begins every "
                          "100 ms: run with --interval-s 0.025 to see each."]
    assert notes(0.01)[0].endswith("every 10 ms, so it holds several.")


def test_losses_and_a_missed_rate_are_in_the_title_of_a_trial(as_runs, options):
    data = testing.steady([{1000: 5}], intervals=[{1000: 5}] * 2)
    data["trials"][0] |= {"rate_missed": True}
    data["trials"][0]["ledger"] |= {"emitted": 10, "lost": 1}
    [(_, [panel])] = drawn(as_runs(data), options)
    assert panel.get_title(loc="left") == "trial 0 (missed the rate, lost 10 %)"


def test_a_gap_between_intervals_stays_empty():
    trial = testing.trial({1000: 2}, intervals=[{1000: 1}] * 3)
    del trial["intervals"][1]
    edges, latencies = over_time.columns(trial)
    assert edges == pytest.approx([0, 0.1, 0.2, 0.3])
    assert [latency and latency["count"] for latency in latencies] == [1, None, 1]


def test_a_trial_that_did_not_complete_says_so(as_runs, options):
    data = testing.steady([{1000: 5}], intervals=[{1000: 5}] * 2)
    data["trials"][0]["outcome"] = "killed"
    [(_, [panel])] = drawn(as_runs(data), options)
    assert panel.get_title(loc="left") == "trial 0 (killed)"


def test_each_run_gets_a_figure(as_runs, options):
    runs = as_runs(*(testing.steady([{9: 1}], intervals=[{9: 1}] * 2, sink=sink) for sink in "ab"))
    assert [name for name, _ in drawn(runs, options)] == [
        "over_time-steady@a", "over_time-steady@b"]


def test_without_intervals_it_is_skipped(as_runs, options):
    with pytest.raises(Skip, match="fewer than two intervals"):
        drawn(as_runs(testing.steady([{1000: 5}])), options)
    with pytest.raises(Skip, match="--interval-s"):  # one is a point, not a course
        drawn(as_runs(testing.steady([{1000: 5}], intervals=[{9: 1}, {}])), options)
    options.trial = 9
    with pytest.raises(Skip, match="in trial 9"):
        drawn(as_runs(testing.steady([{1000: 5}], intervals=[{9: 1}])), options)
