"""Compares the response times around stops with known ones."""
import pytest

import stopped
import testing
from caption import Skip

MS = 1_000_000
# Half of the events at once, half of them evenly up to the length of a stop.
HALF = {1: 50, **{2 * MS * k: 1 for k in range(1, 51)}}


def drawn(runs, options):
    return [(name, figure) for name, figure in stopped.draw(runs, options)]


def test_the_curve_is_the_response_time_in_lengths_of_a_stop(as_runs, options, line):
    [(name, figure)] = drawn(as_runs(testing.stopped(HALF, [{1: 5}])), options)
    shares = figure.axes[0]
    x, y = line(shares, "file")
    assert name == "stopped" and x[-1] == 100 and y[-1] == pytest.approx(1, rel=1e-3)
    assert max(share for share, stops in zip(x, y) if stops < 0.8) == pytest.approx(90, abs=1)
    assert line(shares, "demanded") == [[90], [0.8]]
    assert line(shares, "expected") == [[0, 50, 100], [0, 0, 1]]


def test_intervals_stand_at_the_time_since_the_stop_began(as_runs, options, line):
    run = testing.stopped(HALF, [{}, {}, {160 * MS: 5}, {}, {1: 9}], stop_ns=200e6)
    [(_, figure)] = drawn(as_runs(run), options)
    # The third interval of 100 ms ends 1.5 stops after the begin; the fifth is beyond two.
    x, y = line(figure.axes[1], "file waits")
    assert x == pytest.approx([1.5]) and y == pytest.approx([0.8], rel=1e-3)


def test_intervals_too_long_for_the_stops_are_noted(as_runs, options):
    [(_, figure)] = drawn(as_runs(testing.stopped(HALF, [{1: 5}])), options)
    assert any("--interval-s 0.01" in text.get_text() for text in figure.texts)
    assert [text.get_text() for text in figure.axes[1].texts] == ["intervals too long"]


def test_times_that_hide_the_stops_are_named(as_runs, options):
    [(_, figure)] = drawn(as_runs(
        testing.stopped({1: 100}, sink="bad", p90_per_stop=0.001, holds=False),
        testing.stopped(HALF, sink="good")), options)
    words = [text.get_text() for legend in figure.axes[1].artists for text in legend.get_texts()]
    assert len(words) == 2
    assert words[0].startswith("bad: p90 0 %") and words[0].endswith("HIDES THE STOPS")
    assert words[1].startswith("good: p90 90 %") and words[1].endswith("the stops show")


def test_stopped_daemons_have_a_plot_of_their_own_without_a_demand(as_runs, options):
    daemon = testing.stopped({1: 100}, who="daemon", sink="d", p90_per_stop=0.01, holds=None)
    [(one, _), (other, figure)] = drawn(as_runs(testing.stopped(HALF), daemon), options)
    assert (one, other) == ("stopped", "stopped-daemon")
    assert {text.get_label() for text in figure.axes[0].lines} == {"d"}
    [legend] = figure.axes[1].artists
    assert legend.get_texts()[0].get_text().endswith("callers do not wait")


def test_where_nothing_could_be_stopped_it_is_skipped(as_runs, options):
    run = testing.answered(testing.steady([{5: 9}], scenario="stopped"), "stopped", {})
    with pytest.raises(Skip, match="nothing could be stopped"):
        drawn(as_runs(run), options)
