#!/usr/bin/env python3
"""Queue: is a call through a queue faster than a direct one, at which rate, and what if it is full?

The upper panel has the call through the queue as a share of the direct one, by rate; the lower one
both calls.
"""
import re

import answers
import style
import units
from answers import ends, figures
from caption import Skip

RATIO = re.compile(r"queued_at_(\d+)_hz_p50_ratio")


def draw(runs, options):
    del options  # there is nothing to choose
    named = [one for one in answers.answered(runs, "queue") if ratios(one[0])]
    if not named:
        raise Skip("no pair of trials completed")
    named.sort(key=lambda one: ratios(one[0])[-1][1]["value"])
    figure, rows = style.sheet(2, 1, (6.4, 2.9), words(runs, named), sharex=True,
                               gap_inches=(0.3, 0.25))
    [above], [below] = rows
    for number, (run, name) in enumerate(named):
        draw_ratios(above, run, name, style.run_style(number))
        draw_calls(below, run, name, style.run_style(number))
    finish(above, below, named)
    yield answers.plot_name("queue", runs), figure


def words(runs, named):
    return answers.words(
        "Is a call through a queue faster than a direct one?", runs, named, more=[
            "Median call; pairs of trials, one after the other. Bars in the upper panel are 95 % "
            "confidence intervals, in the lower one they reach from the least to the most trial.",
            "On the right: a call that waits for room in a full queue, as a share of a direct one "
            "in a closed loop, and the events that are lost if a full queue drops them."])


def ratios(run):
    """(rate, figure) of each rate with a pair of trials, the lowest first."""
    found = [(int(match[1]), figure) for name, figure in figures(run).items()
             if (match := RATIO.fullmatch(name))]
    return sorted(found, key=lambda one: one[0])


def bars(points):
    """x, y and the lengths of the bars below and above."""
    x = [place for place, _ in points]
    y = [one["value"] for _, one in points]
    below = [max(0, one["value"] - ends(one)[0]) for _, one in points]
    above = [max(0, ends(one)[1] - one["value"]) for _, one in points]
    return x, y, [below, above]


def draw_ratios(panel, run, name, drawn):
    x, y, reach = bars(ratios(run))
    panel.errorbar(x, y, yerr=reach, label=f"{name} ratio", capsize=3, elinewidth=1, **drawn)


def draw_calls(panel, run, name, drawn):
    known = figures(run)
    for side, dashes in (("direct", "--"), ("queued", "-")):
        points = [(rate, known[f"{side}_at_{rate}_hz_service_p50_ns"]) for rate, _ in ratios(run)]
        x, y, reach = bars(points)
        panel.errorbar(x, y, yerr=reach, label=f"{name} {side}", capsize=3, elinewidth=1,
                       **(drawn | {"linestyle": dashes}))


def span(panel, least, most):
    """The values of the panel's lines, with some room."""
    values = [value for line in panel.lines for value in line.get_ydata()
              if value > 0] + [least, most]
    return min(values) / 1.5, max(values) * 1.5


def full(run):
    """What happens when the queue is full; empty where that was not tried."""
    known = figures(run)
    if not {"full_dropped_share", "full_queued_mean_ratio"} <= set(known):
        return ""
    lost = known["full_dropped_share"]["value"]
    if lost == 0:
        return ": does not fill"
    times = known["full_queued_mean_ratio"]["value"]
    return f": when full {times:.2g} times, or {100 * lost:.3g} % lost"


def finish(above, below, named):
    style.log_axis(above.yaxis, *span(above, 0.5, 2), text=lambda value: f"{value:g}")
    style.log_axis(below.yaxis, *span(below, 100, 1000))
    rates = [rate for run, _ in named for rate, _ in ratios(run)]
    style.log_axis(below.xaxis, min(rates) / 1.4, max(rates) * 1.4, units.format_rate)
    above.axhline(1, color="black", linewidth=1, label="no difference", zorder=1)
    above.set_ylabel("through the queue / direct\n(logarithmic)")
    below.set(xlabel="events/s (logarithmic)", ylabel="median call (service, log.)")
    style.legend(above, [
        style.handle(f"{name}{full(run)}", **style.run_style(number))
        for number, (run, name) in enumerate(named)])
    style.legend_above(above, [style.handle("no difference", color="black", linewidth=1)],
                       beside_another=True)
    style.legend_above(below, [style.handle("through the queue", color=style.GREY, linestyle="-"),
                               style.handle("direct", color=style.GREY, linestyle="--")])


if __name__ == "__main__":
    import command
    command.main({"queue": draw})
