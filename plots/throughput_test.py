"""Compares the bars of the closed loop with known rates and losses."""
import pytest

import testing
import throughput
from caption import Skip


def closed(sink, rates, lost=0):
    """A run in a closed loop with a trial at each of these rates."""
    data = testing.steady([{800: 1000}] * len(rates), rate_hz=0.0, sink=sink, scenario="max")
    for trial, rate in zip(data["trials"], rates):
        trial["achieved_rate_hz"] = rate
        trial["ledger"] |= {"emitted": 1000, "lost": lost}
    data["summary"][0]["achieved_rate_hz"] = sorted(rates)[len(rates) // 2]
    return data


def drawn(runs, options):
    [(name, figure)] = list(throughput.draw(runs, options))
    return name, figure.axes[0], figure


def places(panel, *names):
    """The points of these lines, as (x, row) each."""
    return {name: list(zip(map(float, one.get_xdata()), one.get_ydata())) for name in names
            for one in panel.lines if one.get_label() == name}


def test_points_are_the_median_rates_and_the_highest_is_on_top(as_runs, options, line):
    runs = as_runs(closed("slow", [900.0, 1000.0, 5000.0]), closed("fast", [2e6, 3e6, 4e6]))
    name, panel, figure = drawn(runs, options)
    assert name == "throughput-max"
    assert [text.get_text() for text in panel.get_yticklabels()] == ["fast", "slow"]
    assert places(panel, "fast", "slow") == {"fast": [(3e6, 0)], "slow": [(1000, 1)]}
    assert line(panel, "slow trials") == [[900, 1000, 5000], [1, 1, 1]]
    assert panel.get_xlim()[0] < 900 and panel.get_xlim()[1] > 4e6
    assert figure.texts[1].get_text() == "How many events per second does each sink take? – max"


def test_what_was_delivered_of_lossy_sinks_has_a_point_of_its_own(as_runs, options):
    _, panel, _ = drawn(as_runs(closed("file", [1000.0], lost=250)), options)
    assert places(panel, "file", "file delivered", "file lost") == {
        "file": [(1000, 0)], "file delivered": [(750, 0)], "file lost": [(750, 0), (1000, 0)]}
    assert [text.get_text() for text in panel.texts] == [
        "events/s", "p50 of a call", "1k", "800 ns", "lost 25 %"]


def test_a_sink_that_loses_all_is_drawn_at_the_edge(as_runs, options):
    _, panel, _ = drawn(as_runs(closed("file", [1000.0], lost=1000)), options)
    assert places(panel, "file delivered") == {"file delivered": [(1, 0)]}
    assert panel.get_xlim()[0] < 1


def test_an_open_loop_is_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario max"):
        drawn(as_runs(testing.steady([{5: 1}])), options)


def test_pauses_between_batches_are_no_throughput(as_runs, options):
    data = closed("file", [1000.0])
    data["trials"][0]["load"] |= {"burst_events": 20, "burst_gap_s": 0.001}
    with pytest.raises(Skip, match="without pauses"):
        drawn(as_runs(data), options)
