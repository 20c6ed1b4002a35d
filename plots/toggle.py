#!/usr/bin/env python3
"""Toggle: what happens at the switch when a session is disabled and enabled under load?"""
import answers
import intervals
import units
from answers import ends, figures
from intervals import LOOKS, Panel

PANELS = [
    Panel("calls, 99th percentile", [("at_switch_p99_ns", "calls at a switch", LOOKS[0]),
                                     ("elsewhere_p99_ns", "other calls", LOOKS[1])],
          "service time", units.format_ns),
    Panel("missed after an enable", [("missed_ns", "longest of a trial", LOOKS[2])],
          "time without events", units.format_ns),
    Panel("written after a disable", [("leaked_ns", "longest of a trial", LOOKS[2])],
          "time with events", units.format_ns),
]


def draw(runs, options):
    del options  # there is nothing to choose
    named = sorted(answers.answered(runs, "toggle"), key=lambda one: worst(one[0]))
    figure, axes = intervals.sheet(named, PANELS, answers.words(
        "What happens where a session is switched off and on?", runs, named,
        answers.where_asked(named), ["The sinks whose switches take effect first are on top. Lost "
                                     "between: events that were not read back though the session "
                                     "was on and recorded."]))
    intervals.beside(axes[-1], "lost between", [lost(run) for run, _ in named])
    yield answers.plot_name("toggle", runs), figure


def worst(run):
    """Sorts the runs: by the longest time that was missed or leaked; those not switched last."""
    known = [ends(figures(run)[name])[1] for name in ("missed_ns", "leaked_ns")
             if name in figures(run)]
    return (not known, max(known, default=0))


def lost(run):
    first = figures(run).get("first_lost_events")
    if first:
        return f"{ends(first)[1]:.0f} by the first session; a rival switches the second"
    figure = figures(run).get("lost_between_events")
    if figure:
        return f"{ends(figure)[1]:.0f}"
    return intervals.reasons(run) or "unknown"


if __name__ == "__main__":
    import command
    command.main({"toggle": draw})
