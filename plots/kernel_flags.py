#!/usr/bin/env python3
"""Kernel flags: what does each group of kernel events cost a call and the machine?

A point is the median of the rounds: the trial with the group on minus that without events.
"""
import re

import answers
import style
import units
from answers import ends, figures
from caption import MOST_NAMES, Skip, listed

CALL = re.compile(r"(.+)_call_p50_ns")
ROW_INCHES = 0.3
NS_PER_PERCENT = 1e7  # of a processor, in a second


def draw(runs, options):
    del options  # there is nothing to choose
    named = answers.answered(runs, "kernel_flags")
    shown = [one for one in named if groups(one[0])]
    if not shown:
        raise Skip("no kernel event could be switched on")
    names = list(dict.fromkeys(group for run, _ in shown for group in groups(run)))
    height = ROW_INCHES * len(names) * max(1.4, len(shown))
    figure, [panels] = style.sheet(1, 2, (3.4, height), words(runs, named, shown), sharey=True,
                                   gap_inches=(0.2, 0.3))
    for number, (run, name) in enumerate(shown):
        shift = 0.6 * ((number + 0.5) / len(shown) - 0.5)
        drawn = style.run_style(number)
        for row, group in enumerate(names):
            draw_point(panels[0], row + shift, figures(run).get(f"{group}_call_p50_ns"), 1,
                       f"{name} {group} call", drawn)
            draw_point(panels[1], row + shift, figures(run).get(f"{group}_cpu_ns_per_s"),
                       NS_PER_PERCENT, f"{name} {group} cpu", drawn)
    finish(panels, names, shown)
    yield answers.plot_name("kernel_flags", runs), figure


def groups(run):
    """The groups that were on, in the order in which they were asked for."""
    return [match[1] for name in figures(run) if (match := CALL.fullmatch(name))]


def words(runs, named, shown):
    absent = [name for run, name in named if not groups(run)]
    refused = sorted({text for run, _ in named for text in run.data["answer"]["cannot"]})
    return answers.words(
        "What do kernel events cost?", runs, named, answers.where_asked(shown), [
            "A point is the median of the rounds (of fewer than six the mean) with its 95 % "
            "interval: the trial with these events minus that without any in the same round. An "
            "interval that contains 0 shows no difference. Records are those of all processes, in "
            "a second.",
            *([f"Nothing could be switched on: {listed(absent, MOST_NAMES)}."] if absent else []),
            *(f"! {text}" for text in refused[:MOST_NAMES])])


def draw_point(panel, place, figure, unit, label, drawn):
    if not figure:
        return
    low, high = ends(figure)
    panel.plot([low / unit, high / unit], [place, place], color=drawn["color"], linewidth=1.4,
               marker="|", label=f"{label} interval")
    panel.plot([figure["value"] / unit], [place], linestyle="none", label=label, **drawn)


def finish(panels, names, shown):
    for panel in panels:
        panel.axvline(0, color=style.GREY, linewidth=1, linestyle="--", zorder=1)
        panel.set_ylim(len(names) - 0.5, -0.5)
    style.linear_durations(panels[0].xaxis)
    style.few_ticks(panels[1].xaxis, 5)
    panels[0].set_xlabel("a median call takes longer by")
    panels[1].set_xlabel("% of a processor, whole machine")
    panels[1].tick_params(left=False)
    style.ticks(panels[0].yaxis, range(len(names)), names)
    rows = [[*(amounts(run, group) for run, _ in shown), ""] for group in names]
    heads = [(f"records/s, bytes/s{f', {name}' if len(shown) > 1 else ''}", "black")
             for _, name in shown]
    longest = max(len(text) for text, _ in heads)
    style.table(panels[1], heads, rows, range(len(names)), first_inches=0.1,
                column_inches=max(1.3, 0.078 * longest))
    style.legend_below(panels[0], [style.handle(name, linestyle="none", **style.run_style(number))
                                   for number, (_, name) in enumerate(shown)])


def amounts(run, group):
    """What the kernel recorded in a second."""
    found = [figures(run).get(f"{group}_{what}_per_s") for what in ("records", "bytes")]
    return ", ".join(units.format_rate(one["value"]) for one in found if one)


if __name__ == "__main__":
    import command
    command.main({"kernel_flags": draw})
