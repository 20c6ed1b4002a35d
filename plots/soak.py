#!/usr/bin/env python3
"""Soak: what drifts over hours?

A row is a run: its response times, memory and descriptors by the time that was recorded. A vertical
line is where it was resumed, with a new program. Beside it stand the slopes of the answer, each
with its 95 % interval.
"""
import math

import answers
import style
import units
from answers import ends, figures
from caption import Skip
from retention import size_text

MOST_ROWS = 6
PERCENTILES = (("p50", "p50_ns"), ("p99", "p99_ns"), ("p99.9", "p99_9_ns"))
OWNERS = (("program", "provider", {"color": "#0072B2"}),
          ("daemons", "daemons", {"color": "#D55E00", "linestyle": "--"}))
UNITS = (("h", 3600e9), ("min", 60e9), ("s", 1e9))
SHOWN = (("response_p99_ns", "response p99"), ("program_private_bytes", "program's memory"),
         ("program_descriptors", "program's descriptors"),
         ("daemons_private_bytes", "daemons' memory"),
         ("daemons_descriptors", "daemons' descriptors"), ("files_bytes", "files"))


def draw(runs, options):
    del options  # there is nothing to choose
    named = [one for one in answers.answered(runs, "soak") if series(one[0])]
    if not named:
        raise Skip("no trial has intervals")
    shown = named[:MOST_ROWS]
    figure, rows = style.sheet(len(shown), 3, (3.0, 1.7), words(runs, named, len(shown)),
                               gap_inches=(0.75, 0.55))
    for panels, (run, name) in zip(rows, shown):
        draw_run(panels, run)
        style.title(panels[0], f"{name}: response time")
        style.title(panels[1], "own memory")
        style.title(panels[2], "open descriptors")
        style.beside(panels[2], verdict(run), facts(run))
    style.legend_above(rows[0][0], [style.handle(name, **(style.percentile_style(name)
                                                          | {"marker": ""}))
                                    for name, _ in PERCENTILES])
    style.legend_above(rows[0][1], [style.handle(name, **look) for name, _, look in OWNERS])
    yield answers.plot_name("soak", runs), figure


def words(runs, named, shown):
    more = [f"! {len(named) - shown} more runs are left out."] if len(named) > shown else []
    if any(run.data.get("resumed") for run, _ in named):
        more.append("Grey lines: the soak went on with a new program; slopes are within the parts.")
    return answers.words("What drifts over time?", runs, named, answers.where_asked(named), more)


def series(run):
    """(end of the interval in ns of recorded time, interval, trial) of all parts, in order."""
    found, before_ns = [], 0
    for trial in run.data["trials"]:
        cut = [one for one in trial["intervals"] if one["end_ns"] > trial["start_ns"]]
        found += [(before_ns + one["end_ns"] - trial["start_ns"], one, trial) for one in cut]
        before_ns += max(0, trial["end_ns"] - trial["start_ns"])
    return found


def draw_run(panels, run):
    found = series(run)
    for name, field in PERCENTILES:
        points = [(at, max(1, one["response"][field])) for at, one, _ in found
                  if one["response"]["count"]]
        look = style.percentile_style(name) | {"marker": "", "linewidth": 1.1}
        panels[0].plot(*columns(points), label=name, **look)
    for name, role, look in OWNERS:
        for panel, field in ((panels[1], "private_bytes"), (panels[2], "descriptors")):
            points = [(at, level(one, role, field)) for at, one, _ in found]
            points = [point for point in points if not math.isnan(point[1])]
            if points:
                panel.plot(*columns(points), label=name, **look)
    finish(panels, found)


def columns(points):
    return [at for at, _ in points], [value for _, value in points]


def level(interval, role, field):
    return next((use["counters"][field] for use in interval.get("roles", ())
                 if use["role"] == role and use["processes"] and field in use["counters"]),
                math.nan)


def finish(panels, found):
    values = [value for line in panels[0].lines for value in line.get_ydata()] or [1, 10]
    style.log_axis(panels[0].yaxis, max(1, min(values)) / 1.5, max(2, *values) * 1.5)
    for panel, text in ((panels[1], size_text), (panels[2], lambda number: f"{number:.0f}")):
        top = 1.2 * max([1, *(value for line in panel.lines for value in line.get_ydata())])
        places = [share * top / 1.2 for share in (0, 0.5, 1)]
        style.ticks(panel.yaxis, places, [text(place) for place in places])
        panel.set_ylim(0, top)
    end_ns = found[-1][0]
    unit, size = next(((unit, size) for unit, size in UNITS if end_ns >= 2 * size), UNITS[-1])
    for panel in panels:
        style.ticks(panel.xaxis, [share * end_ns for share in (0, 0.25, 0.5, 0.75, 1)],
                    [f"{share * end_ns / size:.3g}" for share in (0, 0.25, 0.5, 0.75, 1)])
        panel.set(xlim=(0, end_ns), xlabel=f"time recorded ({unit})")
        for at_ns in resumed_at(found):
            panel.axvline(at_ns, color=style.GREY, linewidth=1, label="_resumed")


def resumed_at(found):
    """The recorded time at which each further part began."""
    return [before[0] for before, after in zip(found, found[1:]) if before[2] is not after[2]]


def verdict(run):
    return {True: "nothing drifts upward", False: "DRIFTS, OR ENDED EARLY"}.get(
        run.data["answer"].get("holds"), "not told")


def facts(run):
    """Lines of text beside a row: the slopes, and what ended the soak early."""
    known = figures(run)
    lines = [f"{text}: {slope_text(known[f'{name}_per_h'], name)} per h"
             for name, text in SHOWN if f"{name}_per_h" in known]
    early = [trial["ended_early"]["limit"] for trial in run.data["trials"]
             if trial.get("ended_early")]
    return lines + [f"ended early: {limit}" for limit in early]


def slope_text(figure, name):
    low, high = (value_text(end, name) for end in ends(figure))
    return low if low == high else f"{low} to {high}"


def value_text(value, name):
    sign, size = "\u2212" if value < 0 else "", abs(value)
    if name.endswith("_ns"):
        return sign + units.format_ns(size)
    return sign + (size_text(size) if name.endswith("_bytes") else f"{size:.3g}")


if __name__ == "__main__":
    import command
    command.main({"soak": draw})
