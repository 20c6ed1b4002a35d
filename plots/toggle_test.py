"""Compares the marks of switched sessions with known figures."""
import pytest

import testing
import toggle
from caption import Skip

PROMPT = {"at_switch_p99_ns": (900, 800, 1000), "elsewhere_p99_ns": (700, 600, 750),
          "missed_events": 0, "missed_ns": (0, 0, 0), "leaked_ns": (0, 0, 0),
          "lost_between_events": (0, 0, 0)}


def drawn(runs, options):
    [(name, figure)] = list(toggle.draw(runs, options))
    return name, [one for one in figure.axes if one.get_xlabel()]


def test_the_prompt_is_on_top_and_marks_are_medians_and_ranges(as_runs, options, line):
    late = testing.toggled(PROMPT | {"missed_ns": (20e6, 19e6, 21e6),
                                     "lost_between_events": (1, 0, 3)}, sink="late")
    prompt = testing.toggled(PROMPT, sink="prompt")
    name, [calls, missed, leaked] = drawn(as_runs(late, prompt), options)
    assert name == "toggle"
    assert [text.get_text() for text in calls.get_yticklabels()] == ["prompt", "late"]
    values, [place, _] = line(calls, "late calls at a switch range")
    assert values == [800, 1000] and round(place) == 1
    assert line(missed, "late longest of a trial range") == [[19e6, 21e6], [1, 1]]
    assert line(missed, "late longest of a trial") == [[20e6], [1]]
    assert line(missed, "prompt longest of a trial") == [[0], [0]]
    assert missed.get_xlim()[1] >= 21e6 and missed.get_xscale() == "symlog"
    assert [text.get_text() for text in leaked.texts if text.get_text()] == [
        "lost between", "0", "3"]


def test_what_cannot_be_switched_comes_last_and_says_why(as_runs, options):
    bare = testing.toggled({}, sink="bare", cannot=["disable session: not while it runs"])
    _, axes = drawn(as_runs(bare, testing.toggled(PROMPT, sink="able")), options)
    assert [text.get_text() for text in axes[0].get_yticklabels()] == ["able", "bare"]
    assert "disable session: not while it runs" in [text.get_text() for text in axes[-1].texts]


def test_nothing_switched_still_says_why(as_runs, options):
    bare = testing.toggled({}, sink="bare", cannot=["disable session: not while it runs"])
    _, [panel] = drawn(as_runs(bare), options)
    assert "disable session: not while it runs" in [text.get_text() for text in panel.texts]


def test_what_the_first_session_loses_to_a_rival_stands_beside_it(as_runs, options):
    rival = {name: PROMPT[name] for name in ("at_switch_p99_ns", "elsewhere_p99_ns")}
    _, axes = drawn(as_runs(testing.toggled(rival | {"first_lost_events": (1, 0, 7)})), options)
    assert any(text.get_text().startswith("7 by the first session") for text in axes[-1].texts)


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario toggle"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
