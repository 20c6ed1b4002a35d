"""Which plots show the runs that answer a question, and what stands around the plots of answers."""
import pytest

import answers
import testing
from caption import Skip

CRASHED = testing.crashed({"program_gone_events": (1, 0, 2)})
STEADY = testing.steady([{5: 9}])


def test_only_the_plot_of_its_question_shows_a_run(as_runs):
    crashed, steady = as_runs(CRASHED, STEADY)
    assert [kind for kind in ("ranking", "crash", "capacity", "percentiles")
            if answers.is_for(crashed, kind)] == ["crash"]
    assert [kind for kind in ("ranking", "crash") if answers.is_for(steady, kind)] == ["ranking"]


def test_a_preset_that_judges_is_known_by_its_answer(as_runs):
    [burst] = as_runs(CRASHED | {"scenario": STEADY["scenario"] | {
        "name": "burst", "preset": "crash-burst"}})
    assert answers.is_for(burst, "crash")
    assert answers.plot_name("crash", [burst]) == "crash-burst-crash-burst"


def test_the_question_is_not_said_twice(as_runs):
    [run] = as_runs(CRASHED)
    [smoke] = as_runs(CRASHED | {"scenario": CRASHED["scenario"] | {"preset": "smoke"}})
    assert answers.plot_name("crash", [run]) == "crash"
    assert answers.plot_name("crash", [smoke]) == "crash-smoke"


def test_a_run_without_its_answer_is_left_out_with_a_note(as_runs):
    bare = testing.steady([{5: 9}], scenario="crash", sink="bare")
    runs = as_runs(CRASHED, bare)
    named = answers.answered(runs, "crash")
    assert [name for _, name in named] == ["file"]
    assert not answers.is_for(runs[1], "ranking")
    made = answers.words("Why?", runs, named, answers.where_asked(named))
    assert made.title == "Why? \u2013 crash, 10k events/s"
    assert made.notes == ["! bare: without an answer, so left out"]
    with pytest.raises(Skip, match="no run has an answer"):
        answers.answered(as_runs(bare), "crash")


def test_the_ends_of_an_open_interval_are_the_value(as_runs):
    [run] = as_runs(testing.crashed({"a": 5, "b": (5, 4, 6), "c": (5, None, 6)}))
    assert [answers.ends(figure) for figure in answers.figures(run).values()] == [
        (5, 5), (4, 6), (5, 6)]
