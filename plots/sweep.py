#!/usr/bin/env python3
"""Rate sweep: how does latency grow with the event rate, and where does each sink saturate?

The upper panel has the p99 of every sink, beside it stands the highest rate that each held. Below,
each sink has a panel with its percentiles and one with the rate that it reached.
"""
import style
import units
from caption import (SATURATED, Part, Skip, by_tail, caption, missing_steps, names, notes,
                     rates_text)

MAX_COLUMNS = 4
LINES = (("p50", "p50_ns"), ("p99", "p99_ns"), ("p99.9", "p99_9_ns"), ("max", "max_ns"))
HEIGHTS = (3.2, 1.9, 0.8)  # in inches: all sinks; of each sink its percentiles, its achieved rate


def draw(runs, options):
    del options  # all rates are shown
    named = list(zip(runs, names(runs)))
    swept = in_order([(run, name) for run, name in named
                      if len({s["rate_hz"] for s in run.data["summary"] if s["rate_hz"]}) > 1])
    if not swept:
        raise Skip("needs a run at two or more rates (scenario sweep)")
    series = [steps_of(run) for run, _ in swept]
    if not any(step["response"]["count"] for steps in series for step in steps):
        raise Skip("no event was recorded")
    across = min(MAX_COLUMNS, len(swept))
    down = -(-len(swept) // across)
    ratios = [HEIGHTS[0], *HEIGHTS[1:] * down]
    figure, axes = style.sheet(
        1 + 2 * down, across, ({1: 5.6, 2: 4.0}.get(across, 3.0), sum(ratios) / len(ratios)),
        words(swept, named), sharex=True, sharey="row", gap_inches=(0.14, 0.62),
        gridspec_kw={"height_ratios": ratios})
    whole = style.whole_row(axes[0])
    for number, ((run, name), steps) in enumerate(zip(swept, series)):
        row, column = 1 + 2 * (number // across), number % across
        draw_tail(whole, name, steps, run, style.run_style(number))
        draw_run(axes[row][column], axes[row + 1][column], run, name, steps)
        style.join(axes[row][column], axes[row + 1][column])
    for number in range(len(swept), across * down):
        axes[1 + 2 * (number // across)][number % across].set_visible(False)
        axes[2 + 2 * (number // across)][number % across].set_visible(False)
    finish_tails(whole, swept, series)
    finish(whole, axes[1:], series)
    yield f"sweep-{runs[0].scenario}", figure


def steps_of(run):
    return sorted((s for s in run.data["summary"] if s["rate_hz"]), key=lambda s: s["rate_hz"])


def in_order(swept):
    """The runs in the order of all plots, by the p99 at the highest rate that all of them have."""
    if not swept:
        return []
    common = set.intersection(*({step["rate_hz"] for step in steps_of(run)
                                 if step["response"]["count"]} for run, _ in swept))
    parts = [Part(run, name, max(steps_of(run), key=lambda step: (
        step["rate_hz"] in common, step["rate_hz"]))) for run, name in swept]
    return [(part.run, part.name) for part in by_tail(parts)]


def held_hz(run):
    """The highest rate that the sink held; 0 if it held none."""
    return max((step["rate_hz"] for step in steps_of(run)
                if not step["saturated"] and step["response"]["count"]), default=0)


def words(swept, named):
    parts = [Part(run, name, step) for run, name in swept for step in steps_of(run)]
    made = caption("Response time against rate", parts)
    made.title = f"Response time against event rate \u2013 {swept[0][0].scenario}"
    shown = {name for _, name in swept}
    absent = [f"! {name}: at one rate only, so it is left out" for _, name in named
              if name not in shown]
    for run, name in swept:
        empty = [step["rate_hz"] for step in steps_of(run) if not step["response"]["count"]]
        if empty:
            absent.append(f"! {name}: no event at {rates_text(empty)}, so there is no point")
    # The plot marks saturated steps, so no note says that their trials missed the rate.
    made.notes = [*absent, *missing_steps(swept),
                  *notes(parts, [part for part in parts if part.saturation != SATURATED])]
    return made


def points_of(steps, field):
    return [(step["rate_hz"], max(1, step["response"][field])) for step in steps
            if step["response"]["count"]]


def draw_line(panel, points, **drawn):
    panel.plot(*zip(*points) if points else ((), ()), **drawn)


def draw_tail(panel, name, steps, run, drawn):
    """The p99 of one sink: hollow where it is saturated, in a ring where events were lost."""
    draw_line(panel, points_of(steps, "p99_ns"), label=name, **drawn)
    hollow = points_of([step for step in steps if step["saturated"]], "p99_ns")
    draw_line(panel, hollow, label=f"{name} saturated",
              **(drawn | {"markerfacecolor": "white", "linestyle": "none"}))
    draw_losses(panel, name, run, steps)


def draw_losses(panel, name, run, steps):
    lossy = points_of([step for step in steps if Part(run, name, step).lost_share], "p99_ns")
    draw_line(panel, lossy, label=f"{name} lost", **style.LOST)


def finish_tails(panel, swept, series):
    """Axes, the names of the lines, and the list of rates."""
    filled = [step["response"] for steps in series for step in steps if step["response"]["count"]]
    style.log_axis(panel.yaxis, max(1, min(latency["p99_ns"] for latency in filled)) / 1.5,
                   max(2, max(latency["p99_ns"] for latency in filled)) * 1.5)
    panel.set(ylabel="p99 response time (logarithmic)", xlabel="target rate (events/s)")
    panel.tick_params(labelbottom=True)
    drawn = [(name, points_of(steps, "p99_ns"), style.run_style(number))
             for number, ((_, name), steps) in enumerate(zip(swept, series))]
    beside = style.label_ends(panel, [(*points[-1], name, one) for name, points, one in drawn
                                      if points])
    if not beside:
        style.legend(panel, [style.handle(name, **one) for name, _, one in reversed(drawn)])
    lossy = any(str(line.get_label()).endswith(" lost") and len(line.get_xdata())
                for line in panel.lines)
    saturated = any(step["saturated"] for steps in series for step in steps)
    style.legend_above(panel, [
        style.handle("p99", color=style.GREY, marker="o"),
        *([style.handle("saturated: lower bound", color=style.GREY, marker="o",
                        markerfacecolor="white", linestyle="none")] if saturated else []),
        *([style.handle("events lost", **style.LOST)] if lossy else [])], beside_another=not beside)
    longest = max(len(name) for _, name in swept)
    style.ranked_list(panel, "Highest rate held (events/s)", held_list(swept),
                      0.6 + 0.078 * longest + (0.4 if not beside else 0))


def held_list(swept):
    """(rate, sink) of each sink, the highest rate first; a rate is at least that if the sink held
    every rate that was tried, or missed higher ones by the machine's fault."""
    rows = []
    for run, name in sorted(swept, key=lambda one: -held_hz(one[0])):
        held = held_hz(run)
        every = all(step.get("saturated_by_machine") for step in steps_of(run)
                    if step["rate_hz"] > held)
        lost = [mark for step in steps_of(run) if step["rate_hz"] == held
                for mark in Part(run, name, step).marks]
        rows.append((("\u2265 " if every else "") + units.format_rate(held) if held else "none",
                     name + (f" ({', '.join(lost)})" if held and lost else "")))
    return rows


def draw_run(upper, lower, run, name, steps):
    rates = [step["rate_hz"] for step in steps]
    for percentile, field in LINES:
        draw_line(upper, points_of(steps, field), label=percentile,
                  **style.percentile_style(percentile))
    draw_losses(upper, name, run, steps)
    share = [100 * step["achieved_rate_hz"] / step["rate_hz"] for step in steps]
    lower.plot(rates, share, color="black", marker="o", markersize=4, label="achieved")
    lower.axhline(99, color=style.GREY, linestyle="--", linewidth=1, label="99 %")
    style.title(upper, name)
    saturated = [step["rate_hz"] for step in steps if step["saturated"]]
    for panel in (upper, lower):
        for low, high in bands(rates, saturated):
            panel.axvspan(low, high, **style.SATURATED, linewidth=0, zorder=0, label="saturated")


def bands(rates, saturated):
    """The range around each saturated rate, half-way (in ratio) to its neighbours."""
    for rate in saturated:
        place = rates.index(rate)
        below = rates[place - 1] if place else rate * rate / rates[place + 1]
        above = rates[place + 1] if place + 1 < len(rates) else rate * rate / below
        yield (below * rate) ** 0.5, (above * rate) ** 0.5


def finish(whole, axes, series):
    steps = [step for run in series for step in run]
    filled = [step["response"] for step in steps if step["response"]["count"]]
    rates = sorted({step["rate_hz"] for step in steps})
    edge = (rates[1] / rates[0]) ** 0.5
    low = max(1, min(latency["p50_ns"] for latency in filled))
    high = max(2, max(latency["max_ns"] for latency in filled))
    for upper, lower in zip(axes[::2], axes[1::2]):
        style.log_axis(upper[0].yaxis, low / 1.5, high * 1.5)
        upper[0].set_ylabel("response time (log.)")
        lower[0].set(ylim=(0, 112), ylabel="achieved (%)")
        for panel in lower:
            panel.tick_params(labelbottom=True)
            panel.set_xlabel("target rate (events/s)")
    style.log_axis(axes[0][0].xaxis, rates[0] / edge, rates[-1] * edge, units.format_rate)
    lossy = any(str(line.get_label()).endswith(" lost") and len(line.get_xdata())
                for row in axes for panel in row for line in panel.lines)
    last_of_rows = [row[-1] for row in axes[::2] if row[-1].get_visible()]
    style.legend(style.below_legend(whole, last_of_rows), [
        *(style.handle(name, **style.percentile_style(name)) for name, _ in reversed(LINES)),
        *([style.handle("events lost", **style.LOST)] if lossy else []),
        *([style.patch("saturated: lower bounds", **style.SATURATED)]
          if any(step["saturated"] for step in steps) else []),
        style.handle("achieved rate / target", color="black", marker="o", markersize=4),
        style.handle("99 % of the target", color=style.GREY, linestyle="--", linewidth=1)])


if __name__ == "__main__":
    import command
    command.main({"sweep": draw})
