"""Compares the marks of disabled calls with known costs."""
import pytest

import disabled
import testing
from caption import Skip


def asked(figures, **changes):
    return testing.answered(testing.steady([{5: 9}], scenario="disabled",
                                           **{key: changes[key] for key in ("sink",)}),
                            "disabled", figures, cannot=changes.get("cannot", ()))


def drawn(runs, options):
    [(name, figure)] = list(disabled.draw(runs, options))
    return name, next(one for one in figure.axes if one.get_xlabel())


def test_the_cheapest_is_on_top_and_nothing_is_below_zero(as_runs, options, line):
    name, panel = drawn(as_runs(
        asked({"off_cost_ns": (250, 240, 260), "on_cost_ns": (800, 700, 900)}, sink="dear"),
        asked({"off_cost_ns": (-0.5, -2, 1.5), "on_cost_ns": (90, 80, 95)}, sink="cheap")), options)
    assert name == "disabled"
    assert [text.get_text() for text in panel.get_yticklabels()] == ["cheap", "dear"]
    assert line(panel, "dear nobody listens range")[0] == [240, 260]
    assert line(panel, "cheap nobody listens range")[0] == [0, 1.5]
    assert line(panel, "cheap nobody listens")[0] == [0]
    texts = [text.get_text() for text in panel.texts]
    assert "-0.5 ns (-2.0 to 1.5)" in texts and "250.0 ns (240.0 to 260.0)" in texts


def test_what_cannot_be_disabled_comes_last_and_says_why(as_runs, options):
    _, panel = drawn(as_runs(
        asked({"on_cost_ns": (80, 70, 90)}, sink="bare", cannot=["disable session: no"]),
        asked({"off_cost_ns": (3, 2, 4)}, sink="able")), options)
    assert [text.get_text() for text in panel.get_yticklabels()] == ["able", "bare"]
    assert "disable session: no" in [text.get_text() for text in panel.texts]


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario disabled"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
