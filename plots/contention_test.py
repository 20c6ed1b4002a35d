"""Compares the lines of contention's plot with known figures."""
import pytest

import contention
import testing
from caption import Skip

FIGURES = {"threads_1_worst_p99_ns": (1000, 900, 1100), "threads_1_rate_hz": 1000,
           "threads_4_worst_p99_ns": (4000, 3000, 5000), "threads_4_times_one": (1.1, 1.0, 1.2),
           "threads_4_fairness": (0.86, 0.8, 0.9), "processes_4_worst_p99_ns": (2000, 1500, 2500),
           "processes_4_times_one": (3.9, 3.7, 4.1), "processes_4_fairness": (1.0, 0.99, 1.0)}


def contended(figures, **changes):
    steps = [(testing.load(0.0, threads=threads), [{}] * 3) for threads in (1, 4)]
    return testing.tried("contention", steps, figures, **changes)


def drawn(runs, options):
    [(name, figure)] = list(contention.draw(runs, options))
    return name, [axes for axes in figure.axes if axes.get_visible()], figure


def test_lines_are_the_figures_by_number_of_writers(as_runs, options, line):
    name, panels, _ = drawn(as_runs(contended(FIGURES)), options)
    times_threads, times_processes, p99_threads, p99_processes = panels
    assert name == "contention"
    assert line(times_threads, "file") == [[1, 4], [1, 1.1]]
    assert line(times_processes, "file") == [[1, 4], [1, 3.9]]
    assert line(p99_threads, "file") == [[1, 4], [1000, 4000]]
    assert line(p99_processes, "file") == [[1, 4], [1000, 2000]]
    assert line(times_processes, "as many times") == [[1, 4], [1, 4]]


def test_uneven_shares_are_ringed(as_runs, options, line):
    _, panels, _ = drawn(as_runs(contended(FIGURES)), options)
    assert line(panels[0], "file uneven") == [[4], [1.1]]
    assert not [one for one in panels[1].lines if one.get_label() == "file uneven"]


def test_a_load_with_a_rate_has_the_p99_alone(as_runs, options, line):
    some = {name: value for name, value in FIGURES.items() if "times" not in name}
    _, panels, _ = drawn(as_runs(contended(some)), options)
    assert len(panels) == 2
    assert line(panels[1], "file") == [[1, 4], [1000, 2000]]


def test_what_is_torn_and_what_cannot_be_shared_is_noted(as_runs, options):
    torn = contended(FIGURES, sink="a")
    torn["answer"]["holds"] = False
    alone = contended({"threads_1_worst_p99_ns": 5.0}, sink="b")
    alone["answer"]["cannot"] = ["take events from several processes"]
    _, _, figure = drawn(as_runs(torn, alone), options)
    notes = " ".join(text.get_text() for text in figure.texts)
    assert "Events were lost or torn: a." in notes
    assert "b cannot take events from several processes." in notes


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario contention"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
