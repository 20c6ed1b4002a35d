"""Nights: how did a series change from night to night? One panel for each series of a finding of
the history, with the level before and after, and what changed of the machine."""
import csv
import datetime
import io
import math

import style
from caption import Caption
from shift import percent_steps, percent_text

PANEL_INCHES = (7.2, 2.0)
NIGHT = {"marker": "o", "color": "#0072B2", "markersize": 4, "linewidth": 0.8, "linestyle": "-"}
LEVEL = {"color": "#000000", "linewidth": 1.6}
BETWEEN = {"color": "#F3C9A0", "linewidth": 0}
EVENT = {"color": "#5B2A86", "linewidth": 1.2, "linestyle": ":"}
COURSES = {"worse": "got worse", "better": "got better"}
IDENTITY = ("scenario", "sink", "load", "preset")
ROOM = 0.12  # of the range, above and below
LEAST = math.log1p(0.01)


def read(text, series):
    """The nights of one series in what `tailgate history export csv --part effect` prints: pairs of
    a date and the logarithm of the ratio to the reference, in order."""
    return sorted((datetime.date.fromisoformat(row["night"]), float(row["value"]))
                  for row in csv.DictReader(io.StringIO(text))
                  if all(row[name] == series[name] for name in IDENTITY)
                  and row["unit"] == "ln ratio" and row["value"])


def draw(finding, nights):
    """nights: for each series of the finding that is to be drawn, in order, what read() returns.
    Returns the file's name without suffix, and the figure."""
    drawn = [(series, points) for series, points in zip(finding["series"], nights) if points]
    if not drawn:
        return None
    first = drawn[0][0]
    course = COURSES.get(finding["course"], finding["course"])
    left = len(finding["series"]) - len(drawn)
    words = Caption(
        f"{first['sink']}, {first['scenario']}: {first['metric']} {course} by "
        f"{first['change_percent']:+.3g} %",
        f"{first['load']}; against the nights' reference {finding['reference'][:10]}; found "
        f"{finding['found_night']}, {finding['state']}",
        notes=["Up = slower or more than the reference in the same night. Shaded: the nights "
               "between which the level changed.",
               *([f"{left} more series of this finding are in the table."] if left else [])])
    figure, rows = style.sheet(len(drawn), 1, PANEL_INCHES, words, gap_inches=(0.3, 0.45),
                               sharex=True)
    for (panel,), (series, points) in zip(rows, drawn):
        draw_series(panel, series, points, finding["events"])
    style.legend(rows[0][0], [
        style.handle("a night", **NIGHT), style.handle("level before and after", **LEVEL),
        *([style.handle("the machine changed", **EVENT)] if finding["events"] else [])])
    return f"nights-{finding['id']}", figure


def level_text(log_ratio):
    return percent_text(math.log1p(round(math.expm1(log_ratio), 3)))


def draw_series(panel, series, points, events):
    dates, values = zip(*points)
    before, after = (datetime.date.fromisoformat(series[end]) for end in ("last_before",
                                                                          "first_after"))
    panel.axvspan(before, after, **BETWEEN)
    panel.axhline(0, color=style.GREY, linewidth=0.8)
    panel.plot(dates, values, label=series["metric"], **NIGHT)
    levels = [math.log(series[name]) for name in ("ratio_before", "ratio_after")]
    held = ((min(dates[0], before), before), (after, max(dates[-1], after)))
    for label, level, ends in zip(("before", "after"), levels, held):
        panel.plot(ends, [level, level], label=label, **LEVEL)
    for event in events:
        panel.axvline(datetime.date.fromisoformat(event["night"]), label="event", **EVENT)
    low, high = min(0, *values, *levels), max(0, *values, *levels)
    room = ROOM * max(high - low, LEAST)
    panel.set(ylim=(low - room, high + room), ylabel="against the reference")
    steps = percent_steps(low - room, high + room)
    style.ticks(panel.yaxis, steps, [percent_text(step) for step in steps])
    style.title(panel, "{}: {} to {}".format(series["metric"], *map(level_text, levels)))
    panel.tick_params(axis="x", labelbottom=True)
    style.few_dates(panel.xaxis)
