#!/usr/bin/env python3
"""Throughput: how many events per second does each sink take when the calls follow each other?"""
import style
import units
from caption import Part, Skip, by_tail, caption, missing_steps, names

ROW_INCHES = 0.34
TAKEN = {"marker": "o", "color": "#0072B2", "markersize": 7, "linestyle": "none"}
DELIVERED = {"marker": "o", "color": "#CC0000", "markersize": 8, "markerfacecolor": "white",
             "linestyle": "none"}
LOST = {"color": "#CC0000", "linewidth": 1.4, "linestyle": ":"}
LEAST_SHARE = 1e-3  # of the events taken: what a sink that delivers fewer is drawn at


def draw(runs, options):
    del options  # a closed loop has no rate to choose
    named = list(zip(runs, names(runs)))
    parts = [Part(run, name, step) for run, name in named for step in run.data["summary"]
             if not step["rate_hz"] and step["response"]["count"]]
    parts = [part for part in parts if not part.load["burst_gap_s"]]
    if not parts:
        raise Skip("needs a run in a closed loop without pauses (scenario max)")
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
    """A point at the median rate, another at what of it was delivered if events were lost, and a
    tick for each trial."""
    rate, lost = part.step["achieved_rate_hz"], part.lost_share
    each = [trial["achieved_rate_hz"] for trial in part.trials]
    panel.plot(each, [row] * len(each), label=f"{part.name} trials", color="black", marker="|",
               markersize=11, linestyle="none")
    panel.plot([rate], [row], label=part.name, zorder=3, **TAKEN)
    if lost:
        delivered = rate * max(1 - lost, LEAST_SHARE)
        panel.plot([delivered, rate], [row, row], label=f"{part.name} lost", **LOST)
        panel.plot([delivered], [row], label=f"{part.name} delivered", zorder=3, **DELIVERED)


def finish(panel, parts):
    rates = [rate for line in panel.lines for rate in line.get_xdata() if rate > 0] or [1]
    style.log_axis(panel.xaxis, min(rates) / 1.5, max(rates) * 1.5, units.format_rate)
    style.ticks(panel.yaxis, range(len(parts)), [part.name for part in parts])
    panel.set(ylim=(len(parts) - 0.4, -0.6), xlabel="events per second (logarithmic)")
    style.table(panel, [("events/s", "black"), ("p50 of a call", "black")],
                [[units.format_rate(part.step["achieved_rate_hz"]),
                  units.format_ns(part.step["response"]["p50_ns"]), ", ".join(part.marks)]
                 for part in parts], range(len(parts)), column_inches=0.95)
    style.legend_above(panel, [
        style.handle("taken", **TAKEN),
        *([style.handle("delivered, the rest lost", **DELIVERED)]
          if any(part.lost_share for part in parts) else []),
        style.handle("each trial", color="black", marker="|", markersize=9, linestyle="none")])


if __name__ == "__main__":
    import command
    command.main({"throughput": draw})
