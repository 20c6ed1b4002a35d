#!/usr/bin/env python3
"""Disabled: what does a call cost while nobody listens, and while somebody does?"""
import answers
import intervals
import units
from answers import ends, figures
from intervals import LOOKS, Panel

PANELS = [Panel("", [("off_cost_ns", "nobody listens", LOOKS[1]),
                     ("on_cost_ns", "as the sink's options say", LOOKS[0])],
                "more than a call that does nothing", units.format_ns)]


def draw(runs, options):
    del options  # there is nothing to choose
    named = sorted(answers.answered(runs, "disabled"), key=answers.cheapest_first("off_cost_ns"))
    figure, [panel] = intervals.sheet(named, PANELS, answers.words(
        "What does a call cost while nobody listens?", runs, named, more=[
            "A cost below 0 is drawn at 0. Lines are 95 % intervals."]), width=5.0,
        interval="95 % interval")
    intervals.beside(panel, "nobody listens", [fact(run) for run, _ in named])
    yield answers.plot_name("disabled", runs), figure


def fact(run):
    figure = figures(run).get("off_cost_ns")
    if not figure:
        return intervals.reasons(run) or "unknown"
    low, high = ends(figure)
    return f"{figure['value']:.1f} ns ({low:.1f} to {high:.1f})"


if __name__ == "__main__":
    import command
    command.main({"disabled": draw})
