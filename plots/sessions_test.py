"""Compares the lines of the sessions' plot with known figures."""
import pytest

import sessions
import testing
from caption import Skip

FIGURES = {"sessions_1_service_p50_ns": (1000, 900, 1100),
           "sessions_4_service_p50_ns": (1900, 1800, 2000),
           "per_session_service_p50_ns": (300, 280, 320), "per_session_share": (0.3, 0.28, 0.32)}


def shared(figures, **changes):
    steps = [(testing.load(1000.0), [{}] * 3)] * 2
    return testing.tried("sessions", steps, figures, **changes)


def drawn(runs, options):
    [(name, figure)] = list(sessions.draw(runs, options))
    return name, figure.axes[0], figure


def test_a_line_is_the_median_call_by_sessions(as_runs, options, line, legends):
    name, panel, figure = drawn(as_runs(shared(FIGURES)), options)
    assert name == "sessions" and figure.texts[1].get_text().endswith("sessions, 1k events/s")
    assert line(panel, "file") == [[1, 4], [1000, 1900]]
    assert "file: 280 ns to 320 ns, 30 % of the first" in legends(panel)


def test_the_axis_says_whether_each_session_has_a_provider(as_runs, options):
    _, panel, _ = drawn(as_runs(shared(FIGURES)), options)
    assert panel.get_xlabel() == "sessions that get every event"
    steps = [(testing.load(1000.0, own_sessions=True), [{}] * 3)] * 2
    _, panel, _ = drawn(as_runs(testing.tried("sessions", steps, FIGURES)), options)
    assert panel.get_xlabel() == "sessions, with a provider each"


def test_a_slope_about_zero_is_no_difference(as_runs, options, legends):
    none = FIGURES | {"per_session_service_p50_ns": (1, -5, 7)}
    _, panel, _ = drawn(as_runs(shared(none)), options)
    assert "file: no difference that is told: \u22125 ns to 7 ns" in legends(panel)


def test_one_session_alone_has_no_slope(as_runs, options, line):
    alone = shared({"sessions_1_service_p50_ns": 5.0})
    alone["answer"]["cannot"] = ["be in several sessions"]
    _, panel, figure = drawn(as_runs(alone), options)
    assert line(panel, "file") == [[1], [5]]
    assert any("file cannot be in several sessions." in text.get_text() for text in figure.texts)


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario sessions"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
