#!/usr/bin/env python3
"""Throughput: how many events per second does each sink take when the calls follow each other?"""
import style
import units
from caption import Part, Skip, by_tail, caption, missing_steps, names

ROW_INCHES = 0.34
DELIVERED = {"facecolor": "#56B4E9"}
LOST = {"facecolor": "#ffffff", "edgecolor": "#CC0000", "hatch": "xxx"}


def draw(runs, options):
    del options  # a closed loop has no rate to choose
    named = list(zip(runs, names(runs)))
    parts = [Part(run, name, step) for run, name in named for step in run.data["summary"]
             if not step["rate_hz"] and step["response"]["count"]]
    if not parts:
        raise Skip("needs a run in a closed loop (scenario max)")
    parts = sorted(by_tail(parts), key=lambda part: -part.step["achieved_rate_hz"])
    words = caption("How many events per second does each sink take?", parts, more=[
        "Median of the trials, all threads together; the most on top.", *missing_steps(named)])
    words.title = f"How many events per second does each sink take? \u2013 {runs[0].scenario}"
    figure, [[panel]] = style.sheet(1, 1, (5.6, ROW_INCHES * (len(parts) + 0.6)), words)
    for row, part in enumerate(parts):
        draw_row(panel, row, part)
    finish(panel, parts)
    yield f"throughput-{runs[0].scenario}", figure


def draw_row(panel, row, part):
    """A bar of the median rate, what was lost of it hatched, and a point for each trial."""
    rate, lost = part.step["achieved_rate_hz"], part.lost_share
    panel.barh(row, rate * (1 - lost), height=0.6, label=part.name, **DELIVERED)
    if lost:
        panel.barh(row, rate * lost, left=rate * (1 - lost), height=0.6, linewidth=0,
                   label=f"{part.name} lost", **LOST)
    each = [trial["achieved_rate_hz"] for trial in part.trials]
    panel.plot(each, [row] * len(each), label=f"{part.name} trials", color="black", marker="|",
               markersize=9, linestyle="none")


def finish(panel, parts):
    highest = max(trial["achieved_rate_hz"] for part in parts for trial in part.trials)
    style.ticks(panel.yaxis, range(len(parts)), [part.name for part in parts])
    panel.set(xlim=(0, max(highest, 1e-9) * 1.04), ylim=(len(parts) - 0.4, -0.6),
              xlabel="events per second")
    style.linear_rates(panel.xaxis)
    panel.grid(False, axis="y")
    style.table(panel, [("events/s", "black"), ("p50 of a call", "black")],
                [[units.format_rate(part.step["achieved_rate_hz"]),
                  units.format_ns(part.step["response"]["p50_ns"]), ", ".join(part.marks)]
                 for part in parts], range(len(parts)), column_inches=0.95)
    style.legend_above(panel, [
        style.patch("taken", **DELIVERED),
        *([style.patch("taken, but lost", linewidth=0, **LOST)]
          if any(part.lost_share for part in parts) else []),
        style.handle("each trial", color="black", marker="|", markersize=9, linestyle="none")])


if __name__ == "__main__":
    import command
    command.main({"throughput": draw})
