"""Rows of ranges: how plots of answers show a median with the least and the most of the trials.

A row is a run, a panel holds one or several of the answer's figures on one axis, which begins at 0.
"""
import math
from collections import namedtuple

import style
from answers import ends, figures

# title: above the panel; marks: (name of the figure, what it is, how it is drawn) each; axis: what
# the axis shows; text: writes a value of it.
Panel = namedtuple("Panel", "title marks axis text")

ROW_INCHES = 0.42
ROOM = 0.26           # between the marks of a row, of a row
MOST_TICKS = 6
RANGE = {"color": "#808080", "linewidth": 1.3, "marker": "|", "markersize": 7}
LOOKS = ({"marker": "o", "color": "#D55E00", "linestyle": "none", "markersize": 6},
         {"marker": "s", "color": "#0072B2", "linestyle": "none", "markersize": 5},
         {"marker": "^", "color": "#000000", "linestyle": "none", "markersize": 6},
         {"marker": "D", "color": "#CC79A7", "linestyle": "none", "markersize": 5})


def sheet(named, panels, caption, width=3.1, interval="least and most of the trials"):
    """A figure with these panels and a row for each of the named runs; returns it and its axes.
    `interval`: what the ends of a figure are."""
    shown = [panel for panel in panels
             if any(name in figures(run) for run, _ in named for name, _, _ in panel.marks)]
    shown = shown or panels[:1]
    figure, [axes] = style.sheet(1, len(shown), (width, ROW_INCHES * (len(named) + 0.6)), caption,
                                 gap_inches=(0.22, 0.3), sharey=True)
    for one, panel in zip(axes, shown):
        one.set_title(panel.title, size=9, loc="left", pad=4)
        for row, (run, name) in enumerate(named):
            draw_row(one, panel, row, run, name)
        finish(one, panel, named)
    for one in axes[1:]:
        one.tick_params(left=False)
    style.ticks(axes[0].yaxis, range(len(named)), [name for _, name in named])
    looks = {about: look for panel in shown for _, about, look in panel.marks}
    style.legend_below(axes[0], [*(style.handle(about, **look) for about, look in looks.items()),
                                 style.handle(interval, **RANGE)])
    return figure, axes


def draw_row(axes, panel, row, run, name):
    for number, (figure_name, about, look) in enumerate(panel.marks):
        figure = figures(run).get(figure_name)
        if not figure:
            continue
        place = row + ROOM * (number - (len(panel.marks) - 1) / 2)
        low, high = (max(0, end) for end in ends(figure))
        if high > low:
            axes.plot([low, high], [place, place], label=f"{name} {about} range", clip_on=False,
                      zorder=2, **RANGE)
        axes.plot([max(0, figure["value"])], [place], label=f"{name} {about}", clip_on=False,
                  zorder=3, **look)


def values_of(panel, named):
    found = [figures(run)[name] for run, _ in named for name, _, _ in panel.marks
             if name in figures(run)]
    return [value for figure in found for value in (figure["value"], *ends(figure))]


def finish(axes, panel, named):
    """An axis from 0 to the largest value, in decades above the smallest one that is not 0."""
    above = [value for value in values_of(panel, named) if value > 0] or [1.0]
    first = math.floor(math.log10(min(above)))
    last = max(first + 1, math.ceil(math.log10(max(above))))
    axes.set_xscale("symlog", linthresh=10.0**first, linscale=0.5)
    step = max(1, math.ceil((last - first + 1) / MOST_TICKS))
    places = [10.0**power for power in range(first, last + 1, step)]
    style.ticks(axes.xaxis, [0, *places], ["0", *map(panel.text, places)])
    axes.set(xlim=(0, 1.2 * max(above)), ylim=(len(named) - 0.4, -0.6), xlabel=panel.axis)
    axes.grid(False, axis="y")


def beside(axes, heading, texts):
    """A text to the right of each row, from the first on."""
    for place, text, weight in ((-0.62, heading, "bold"),
                                *((row, text, "normal") for row, text in enumerate(texts))):
        axes.annotate(text, (1, place), xycoords=("axes fraction", "data"), xytext=(8, 0),
                      textcoords="offset points", va="bottom" if weight == "bold" else "center",
                      size=8.5, weight=weight)


def reasons(run):
    """What could not be done to the run's sink, as one text."""
    return "; ".join(run.data["answer"]["cannot"])[:60]
