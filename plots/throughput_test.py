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


def bars(panel):
    """{label: (row, left, width)}"""
    return {one.get_label(): (round(bar.get_y() + bar.get_height() / 2), bar.get_x(),
                              bar.get_width()) for one in panel.containers for bar in one}


def test_bars_are_the_median_rates_and_the_highest_is_on_top(as_runs, options, line):
    runs = as_runs(closed("slow", [900.0, 1000.0, 5000.0]), closed("fast", [2e6, 3e6, 4e6]))
    name, panel, figure = drawn(runs, options)
    assert name == "throughput-max"
    assert [text.get_text() for text in panel.get_yticklabels()] == ["fast", "slow"]
    assert bars(panel) == {"fast": (0, 0, 3e6), "slow": (1, 0, 1000)}
    assert line(panel, "slow trials") == [[900, 1000, 5000], [1, 1, 1]]
    assert panel.get_xlim()[0] == 0 and panel.get_xlim()[1] > 4e6
    assert figure.texts[1].get_text() == "How many events per second does each sink take? – max"


def test_lost_events_are_a_part_of_the_bar_of_their_own(as_runs, options):
    _, panel, _ = drawn(as_runs(closed("file", [1000.0], lost=250)), options)
    assert bars(panel) == {"file": (0, 0, 750), "file lost": (0, 750, 250)}
    assert [text.get_text() for text in panel.texts] == [
        "events/s", "p50 of a call", "1k", "800 ns", "lost 25 %"]


def test_an_open_loop_is_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario max"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
