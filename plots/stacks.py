#!/usr/bin/env python3
"""Stacks: what does capturing the call stack cost, by its depth?

A line has by how much a capture makes a sink's median call longer, by the frames that the call is
under; beside it stands what each frame adds, with its 95 % interval.
"""
import re

import answers
import counts
import style

KEY = re.compile(r"frames_(\d+)_capture_ns")
SLOPE = "per_frame_ns"


def draw(runs, options):
    del options  # there is nothing to choose
    named, figure, panel = counts.sheet(
        runs, "stacks", "What does capturing the call stack cost?", SLOPE,
        ["Both sides of a difference are calls under the same frames."])
    counts.draw_lines(panel, named, KEY)
    style.linear_durations(panel.yaxis)
    panel.axhline(0, color=style.GREY, linewidth=0.8)
    panel.set(xlim=(0, counts.all_counts(named, KEY)[-1] * 1.05),
              ylabel="a call takes longer (service)", xlabel="frames that the call is under")
    counts.legends(panel, [f"{name}: {counts.added(run, SLOPE, ' a frame')}"
                           for run, name in named], "over the rounds, 95 % interval")
    yield answers.plot_name("stacks", runs), figure


if __name__ == "__main__":
    import command
    command.main({"stacks": draw})
