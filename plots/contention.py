#!/usr/bin/env python3
"""Contention: how much more do several writers get into each sink, and what does the worst wait?

On the left are threads of one process, on the right processes. The upper panels have the events of
all writers per event of one alone, the lower ones the p99 of the writer whose p99 is the longest.
"""
import re

import answers
import style
from answers import ends, figures
from caption import MOST_NAMES, listed

KEY = re.compile(r"(threads|processes)_(\d+)_(worst_p99_ns|times_one|fairness)")
EVEN = 0.99  # Jain's index from which on scenarios/contention.cpp calls shares even
UNEVEN = {"marker": "o", "color": "#CC0000", "markersize": 10, "markerfacecolor": "none",
          "linestyle": "none"}
TITLES = {"threads": "threads of one process", "processes": "processes of one thread"}
PANEL_INCHES = (3.1, 2.5)


def draw(runs, options):
    del options  # there is nothing to choose
    named = sorted(answers.answered(runs, "contention"), key=lambda one: worst_of(one[0]))
    kinds = [kind for kind in TITLES
             if any(len(points(run, kind, "worst_p99_ns")) > 1 for run, _ in named)] or ["threads"]
    whats = [what for what in ("times_one", "worst_p99_ns")
             if any(points(run, kind, what) for run, _ in named for kind in kinds)]
    figure, rows = style.sheet(len(whats), len(kinds), PANEL_INCHES, words(runs, named),
                               gap_inches=(0.25, 0.25), sharex="col", sharey="row")
    for what, row in zip(whats, rows):
        for kind, panel in zip(kinds, row):
            for number, (run, name) in enumerate(named):
                draw_line(panel, points(run, kind, what), name, style.run_style(number))
            if what == "times_one":
                mark_uneven(panel, named, kind)
    finish(whats, kinds, rows, named)
    yield answers.plot_name("contention", runs), figure


def words(runs, named):
    torn = [name for run, name in named if run.data["answer"].get("holds") is False]
    cannot = [f"{name} cannot {what}" for run, name in named
              for what in run.data["answer"]["cannot"]]
    return answers.words("How much do several writers get into each sink, and how long do they "
                         "wait?", runs, named, more=[
                             "The dashed line is what writers would get that never wait for one "
                             "another.",
                             *([f"Events were lost or torn: {listed(torn, MOST_NAMES)}."]
                               if torn else []),
                             *([f"{listed(cannot, MOST_NAMES, '; ')}."] if cannot else [])])


def points(run, kind, what):
    """(writers, figure) of each number of this kind, ascending; one writer is a thread."""
    found = []
    for name, figure in figures(run).items():
        match = KEY.fullmatch(name)
        if match and match[3] == what and (match[1] == kind or match[2] == "1"):
            found.append((int(match[2]), figure))
    if what == "times_one" and found:
        found.append((1, {"value": 1.0}))
    return sorted(found, key=lambda one: one[0])


def worst_of(run):
    """The longest p99 of all numbers of writers; the runs are in its order."""
    return max((figure["value"] for kind in TITLES
                for _, figure in points(run, kind, "worst_p99_ns")), default=0.0)


def draw_line(panel, found, name, drawn):
    if not found:
        return
    panel.plot([count for count, _ in found], [max(1e-3, figure["value"]) for _, figure in found],
               label=name, **drawn)
    for count, figure in found:
        panel.vlines(count, *ends(figure), color=drawn["color"], linewidth=1, alpha=0.6)


def mark_uneven(panel, named, kind):
    """Rings around the points at which the writers' shares differ."""
    for run, name in named:
        uneven = {count for count, figure in points(run, kind, "fairness")
                  if figure["value"] < EVEN}
        at = [(count, figure["value"]) for count, figure in points(run, kind, "times_one")
              if count in uneven]
        if at:
            panel.plot(*zip(*at), label=f"{name} uneven", zorder=4, **UNEVEN)


def finish(whats, kinds, rows, named):
    counts = {kind: sorted({count for run, _ in named
                            for count, _ in points(run, kind, "worst_p99_ns")}) for kind in kinds}
    for kind, panel in zip(kinds, rows[-1]):
        panel.set_xlabel(TITLES[kind])
    for what, row in zip(whats, rows):
        values = [max(1e-3, value) for panel in row for line in panel.lines
                  for value in line.get_ydata()] or [1.0, 10.0]
        if what == "worst_p99_ns":
            style.log_axis(row[0].yaxis, min(values) / 1.5, max(values) * 1.5)
            row[0].set_ylabel("p99 of the worst writer\n(response, logarithmic)")
        else:
            most = max(values)
            for panel, kind in zip(row, kinds):
                panel.plot(counts[kind], counts[kind], color=style.GREY, linestyle="--",
                           linewidth=1, label="as many times")
            row[0].set(ylim=(0, 1.15 * most), ylabel="events of all writers\nper event of one")
        for panel, kind in zip(row, kinds):
            low, high = counts[kind][0], counts[kind][-1]
            panel.set(xscale="log", xlim=(low / 1.2, high * 1.2))
            style.ticks(panel.xaxis, counts[kind], [str(count) for count in counts[kind]])
    uneven = any(line.get_label().endswith(" uneven") for row in rows for panel in row
                 for line in panel.lines)
    style.legend(rows[0][-1], [style.handle(name, **style.run_style(number))
                               for number, (_, name) in enumerate(named)])
    style.legend_above(rows[0][0], [
        style.handle("median, least to most of the trials", color=style.GREY, marker="o"),
        *([style.handle("unevenly shared", **UNEVEN)] if uneven else [])],
        beside_another=len(kinds) == 1)


if __name__ == "__main__":
    import command
    command.main({"contention": draw})
