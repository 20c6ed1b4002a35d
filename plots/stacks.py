#!/usr/bin/env python3
"""Stacks: what does capturing the call stack cost, by its depth?

A line has by how much a capture makes a sink's median call longer, by the frames that the call is
under; beside it stands what each frame adds, with its 95 % interval.
"""
import re

import answers
import style
import units
from answers import ends, figures

KEY = re.compile(r"frames_(\d+)_capture_ns")
SLOPE = "per_frame_ns"


def draw(runs, options):
    del options  # there is nothing to choose
    named = sorted(answers.answered(runs, "stacks"), key=lambda one: -slope_of(one[0]))
    figure, [[panel]] = style.sheet(1, 1, (5.6, 3.0), words(runs, named))
    for number, (run, name) in enumerate(named):
        draw_line(panel, run, name, style.run_style(number))
    finish(panel, named)
    yield answers.plot_name("stacks", runs), figure


def words(runs, named):
    alone = ["Both sides of a difference are calls under the same frames."]
    alone += [f"{name} cannot {what}." for run, name in named
              for what in run.data["answer"]["cannot"]]
    return answers.words("What does capturing the call stack cost?", runs, named,
                         answers.where_asked(named), alone)


def slope_of(run):
    return figures(run)[SLOPE]["value"] if SLOPE in figures(run) else 0.0


def captures(run):
    """(frames, figure of the capture), ascending."""
    found = [(int(match[1]), figure) for name, figure in figures(run).items()
             if (match := KEY.fullmatch(name))]
    return sorted(found, key=lambda one: one[0])


def draw_line(panel, run, name, drawn):
    found = captures(run)
    if not found:
        return
    panel.plot([frames for frames, _ in found], [figure["value"] for _, figure in found],
               label=name, **drawn)
    for frames, figure in found:
        panel.vlines(frames, *ends(figure), color=drawn["color"], linewidth=1, alpha=0.6)


def added(run):
    """What a frame adds, as text, with its interval."""
    slope = figures(run).get(SLOPE)
    if not slope:
        return "\u2013"
    low, high = ends(slope)
    if low <= 0 <= high:
        return f"no difference that is told: {signed(low)} to {signed(high)}"
    return f"{signed(low)} to {signed(high)} a frame"


def signed(value_ns):
    return ("\u2212" if value_ns < 0 else "") + units.format_ns(abs(value_ns))


def finish(panel, named):
    depths = sorted({frames for run, _ in named for frames, _ in captures(run)}) or [1]
    style.linear_durations(panel.yaxis)
    panel.axhline(0, color=style.GREY, linewidth=0.8)
    panel.set(xlim=(0, depths[-1] * 1.05), ylabel="a call takes longer (service)",
              xlabel="frames that the call is under")
    style.legend(panel, [style.handle(f"{name}: {added(run)}", **style.run_style(number))
                         for number, (run, name) in enumerate(named)])
    style.legend_above(panel, [style.handle("over the rounds, 95 % interval", color=style.GREY,
                                            marker="o")], beside_another=True)


if __name__ == "__main__":
    import command
    command.main({"stacks": draw})
