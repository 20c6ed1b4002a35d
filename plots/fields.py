#!/usr/bin/env python3
"""Fields: what does a field cost that a call formats, as text and as a number?"""
import answers
import intervals
import units
from answers import ends, figures
from intervals import LOOKS, Panel

PANELS = [Panel("", [("text_per_field_ns", "text of 10 letters", LOOKS[0]),
                     ("integer_per_field_ns", "whole number of 10 digits", LOOKS[1]),
                     ("real_per_field_ns", "number with 3 decimals", LOOKS[2])],
                "longer by each field (service)", units.format_ns)]


def draw(runs, options):
    del options  # there is nothing to choose
    named = sorted(answers.answered(runs, "fields"),
                   key=answers.cheapest_first("real_per_field_ns"))
    figure, [panel] = intervals.sheet(named, PANELS, answers.words(
        "What does a field cost that a call formats?", runs, named, answers.where_asked(named), [
            "All events have one size: what is written does not grow with the fields.",
            "A cost below 0 is drawn at 0. Lines are 95 % intervals."]), width=5.0,
        interval="95 % interval")
    intervals.beside(panel, "without fields; each real number", [fact(run) for run, _ in named])
    yield answers.plot_name("fields", runs), figure


def fact(run):
    """What a call takes without fields, and what a field adds that costs most."""
    call, field = (figures(run).get(name) for name in ("without_service_p50_ns",
                                                       "real_per_field_ns"))
    if not call:
        return intervals.reasons(run) or "unknown"
    if not field:
        return units.format_ns(call["value"])
    low, high = ends(field)
    return f"{units.format_ns(call['value'])}; {low:.1f} to {high:.1f} ns"


if __name__ == "__main__":
    import command
    command.main({"fields": draw})
