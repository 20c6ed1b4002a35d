"""Compares the marks of live readers with known figures."""
import pytest

import realtime
import testing
from caption import Skip

FRESH = {"at_1000_hz_delivery_p50_ns": (2e5, 1e5, 3e5),
         "at_10000_hz_delivery_p50_ns": (4e5, 3e5, 5e5),
         "free_response_p99_ns": (2e4, 1e4, 3e4), "slow_response_p99_ns": (9e6, 8e6, 9e6),
         "free_delivery_p99_ns": (6e5, 5e5, 7e5), "stalled_lost_events": (40, 30, 50),
         "second_response_p99_ns": (3e4, 2e4, 4e4)}


def asked(figures, sink, cannot=()):
    return testing.answered(testing.steady([{5: 9}], scenario="realtime", sink=sink), "realtime",
                            figures, cannot=cannot)


def drawn(runs, options):
    [(name, figure)] = list(realtime.draw(runs, options))
    return name, [one for one in figure.axes if one.get_xlabel()]


def test_the_freshest_at_the_highest_rate_is_on_top(as_runs, options, line):
    late = FRESH | {"at_10000_hz_delivery_p50_ns": (5e7, 4e7, 6e7)}
    name, [delivery, response, lost] = drawn(
        as_runs(asked(late, "late"), asked(FRESH, "fresh")), options)
    assert name == "realtime"
    assert [text.get_text() for text in delivery.get_yticklabels()] == ["fresh", "late"]
    assert line(delivery, "fresh reader reads freely range")[0] == [5e5, 7e5]
    assert line(response, "fresh reader is stopped half of the time range")[0] == [8e6, 9e6]
    assert line(response, "fresh reader has a second one beside it range")[0] == [2e4, 4e4]
    assert line(lost, "fresh reader stands still once")[0] == [40]
    texts = [text.get_text() for text in lost.texts]
    assert "500 µs at 10k, 300 µs at 1k" in texts and "60 ms at 10k, 300 µs at 1k" in texts


def test_what_cannot_be_read_live_comes_last_and_says_why(as_runs, options):
    _, axes = drawn(as_runs(asked({}, "deaf", ["stop consumer: none"]), asked(FRESH, "able")),
                    options)
    assert [text.get_text() for text in axes[0].get_yticklabels()] == ["able", "deaf"]
    assert "stop consumer: none" in [text.get_text() for text in axes[-1].texts]


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario realtime"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
