"""Compares the rows of the ranking with known distributions."""
import pytest

import ranking
import testing
from caption import Skip

FAST = {100: 980, 200: 15, 5000: 5}
SLOW = {90: 900, 7000: 100}


def drawn(runs, options):
    [(name, figure)] = list(ranking.draw(runs, options))
    return name, figure.axes[0], figure


def points(panel, sink):
    """{percentile: (value, row)}"""
    return {str(one.get_label()).removeprefix(f"{sink} "): (one.get_xdata()[0], one.get_ydata()[0])
            for one in panel.lines if str(one.get_label()).startswith(f"{sink} p")}


def test_rows_are_in_the_order_of_p99_and_points_are_the_percentiles(as_runs, options):
    runs = as_runs(testing.steady([SLOW], sink="slow"), testing.steady([FAST], sink="fast"))
    name, panel, figure = drawn(runs, options)
    assert name == "ranking-steady"
    assert [text.get_text() for text in panel.get_yticklabels()] == ["fast", "slow"]
    assert panel.get_ylim()[0] > panel.get_ylim()[1]  # the first row is on top
    assert points(panel, "fast") == {"p50": (100, 0), "p99": (200, 0), "p99.9": (5000, 0)}
    assert points(panel, "slow") == {"p50": (90, 1), "p99": (7000, 1), "p99.9": (7000, 1)}
    low, high = panel.get_xlim()
    assert low < 30 and high > 7000  # the floor is 30 ns
    assert figure.texts[1].get_text().startswith("Which sink has the shortest tail? ")


def test_the_numbers_stand_beside_the_rows(as_runs, options):
    data = testing.steady([SLOW], sink="slow")
    data["summary"][0]["saturated"] = True
    data["trials"][0]["ledger"] |= {"emitted": 100, "lost": 10}
    _, panel, _ = drawn(as_runs(data, testing.steady([FAST], sink="fast")), options)
    texts = [text.get_text() for text in panel.texts]
    assert texts == ["p50", "p99", "p99.9", "100 ns", "200 ns", "5 µs", "", "90 ns", "7 µs",
                     "7 µs", "saturated, lost 10 %"]
    spans = {one.get_label(): one.get_linestyle() for one in panel.lines
             if str(one.get_label()).endswith("span")}
    assert spans == {"fast span": "-", "slow span": ":"}


def test_a_sink_without_events_has_an_empty_last_row(as_runs, options):
    runs = as_runs(testing.steady([{}], sink="none"), testing.steady([FAST], sink="fast"))
    _, panel, _ = drawn(runs, options)
    assert [text.get_text() for text in panel.get_yticklabels()] == ["fast", "none"]
    assert not points(panel, "none") and "no events" in [text.get_text() for text in panel.texts]


def test_a_sink_that_lost_every_event_has_no_times_and_comes_last(as_runs, options):
    lost = testing.steady([FAST], sink="lost")
    lost["trials"][0]["ledger"] |= {"emitted": 100, "lost": 100}
    _, panel, _ = drawn(as_runs(lost, testing.steady([SLOW], sink="slow")), options)
    assert [text.get_text() for text in panel.get_yticklabels()] == ["slow", "lost"]
    assert not points(panel, "lost") and "lost 100 %" in [text.get_text() for text in panel.texts]


def test_sinks_at_another_rate_are_below_a_line(as_runs, options, line):
    runs = as_runs(testing.steady([FAST], sink="other", rate_hz=1000.0),
                   testing.steady([SLOW], sink="slow"), testing.steady([FAST], sink="fast"))
    _, panel, _ = drawn(runs, options)
    assert [text.get_text() for text in panel.get_yticklabels()] == [
        "fast", "slow", "other at 1k events/s"]
    assert line(panel, "another rate")[1] == [1.5, 1.5]


def test_nothing_to_rank_is_skipped(as_runs, options):
    with pytest.raises(Skip, match="two or more sinks"):
        drawn(as_runs(testing.steady([FAST])), options)
    with pytest.raises(Skip, match="no event"):
        drawn(as_runs(testing.steady([{}]), testing.steady([{}], sink="b")), options)
