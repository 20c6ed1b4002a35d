"""Compares the points of a plot of kernel events with known costs."""
import pytest

import kernel_flags
import testing
from caption import Skip

COSTS = {"syscalls_call_p50_ns": (310, 280, 350), "syscalls_call_mean_ns": (330, 290, 390),
         "syscalls_cpu_ns_per_s": (12e6, 9e6, 15e6), "syscalls_records_per_s": (40_000, 39e3, 41e3),
         "syscalls_bytes_per_s": (640_000, 6e5, 7e5), "irq_call_p50_ns": (-5, -20, 10),
         "irq_records_per_s": (1000, 900, 1100), "irq_bytes_per_s": (16_000, 15e3, 17e3)}


def flags(figures=None, **changes):
    return testing.tried("kernel_flags", [(testing.load(1000.0), [{}])],
                         COSTS if figures is None else figures, **changes)


def drawn(runs, options):
    [(name, figure)] = list(kernel_flags.draw(runs, options))
    return name, figure.axes[0], figure.axes[1], figure


def test_points_are_the_answer_s_figures_with_their_intervals(as_runs, options, line):
    name, calls, cpu, _ = drawn(as_runs(flags()), options)
    assert name == "kernel_flags"
    assert [label.get_text() for label in calls.get_yticklabels()] == ["syscalls", "irq"]
    assert line(calls, "file syscalls call") == [[310], [0]]
    assert line(calls, "file syscalls call interval") == [[280, 350], [0, 0]]
    assert line(calls, "file irq call") == [[-5], [1]]
    assert line(cpu, "file syscalls cpu interval")[0] == pytest.approx([0.9, 1.5])
    assert line(cpu, "file syscalls cpu")[0] == pytest.approx([1.2])
    assert not [one for one in cpu.lines if one.get_label().startswith("file irq")]


def test_records_and_bytes_stand_beside(as_runs, options):
    cpu = drawn(as_runs(flags()), options)[2]
    assert "40k, 640k" in [text.get_text() for text in cpu.texts]


def test_two_runs_have_places_of_their_own(as_runs, options, line):
    calls = drawn(as_runs(flags(sink="a"), flags(sink="b")), options)[1]
    assert line(calls, "a irq call")[1][0] < 1 < line(calls, "b irq call")[1][0]


def test_what_could_not_be_switched_on_is_noted(as_runs, options):
    refused = flags({}, sink="b")
    refused["answer"]["cannot"] = ["switch on irq: not allowed"]
    figure = drawn(as_runs(flags(sink="a"), refused), options)[3]
    texts = " ".join(text.get_text() for text in figure.texts)
    assert "Nothing could be switched on: b" in texts and "switch on irq: not allowed" in texts
    with pytest.raises(Skip, match="could be switched on"):
        drawn(as_runs(refused), options)


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario kernel_flags"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
