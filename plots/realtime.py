#!/usr/bin/env python3
"""Realtime: how fresh are a live reader's events, and who pays for a slow or a further one?"""
import re

import answers
import intervals
import units
from answers import ends, figures
from intervals import LOOKS, Panel

READERS = (("free", "reads freely", LOOKS[1]), ("slow", "is stopped half of the time", LOOKS[0]),
           ("stalled", "stands still once", LOOKS[2]),
           ("second", "has a second one beside it", LOOKS[3]))


def draw(runs, options):
    del options  # there is nothing to choose
    named = sorted(answers.answered(runs, "realtime"), key=lambda one: freshness_ns(one[0]))
    panels = [panel("delivery time, p99", "delivery_p99_ns", "time until it was read"),
              panel("who pays: the writer", "response_p99_ns", "response time, p99"),
              Panel("who pays: memory", marks("peak_rss_bytes"), "program and daemons",
                    lambda number: units.format_rate(number) + "B"),
              Panel("who pays: the data", marks("lost_events"), "events lost", units.format_rate)]
    figure, axes = intervals.sheet(named, panels, answers.words(
        "How fresh is what a live reader reads, and who pays for a slow one?", runs, named,
        more=["The freshest are on top."]))
    intervals.beside(axes[-1], "fresh, p50", [fresh(run) for run, _ in named])
    yield answers.plot_name("realtime", runs), figure


def marks(end):
    return [(f"{name}_{end}", f"reader {words}", look) for name, words, look in READERS]


def panel(title, end, axis):
    return Panel(title, marks(end), axis, units.format_ns)


def rates(run):
    """The medians of the delivery time, by rate, the highest first."""
    found = {}
    for name, figure in figures(run).items():
        at = re.fullmatch(r"at_([0-9]+)_hz_delivery_p50_ns", name)
        if at:
            found[int(at[1])] = figure
    return dict(sorted(found.items(), reverse=True))


def freshness_ns(run):
    """Sorts the runs: the freshest at the highest rate first; those not read live last."""
    known = [figure["value"] for figure in rates(run).values()]
    return (not known, known[0] if known else 0)


def fresh(run):
    known = [f"{units.format_ns(ends(figure)[1])} at {units.format_rate(rate)}"
             for rate, figure in rates(run).items()]
    return ", ".join(known[:2]) or intervals.reasons(run) or "unknown"


if __name__ == "__main__":
    import command
    command.main({"realtime": draw})
