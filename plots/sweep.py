#!/usr/bin/env python3
"""Rate sweep: how does latency grow with the event rate, and where does each sink saturate?"""
import style
import units
from caption import Part, Skip, caption, names, notes

MAX_COLUMNS = 4
LINES = (("p50", "p50_ns"), ("p99", "p99_ns"), ("p99.9", "p99_9_ns"), ("max", "max_ns"))


def draw(runs, options):
    swept = [(run, name) for run, name in zip(runs, names(runs))
             if len({s["rate_hz"] for s in run.data["summary"] if s["rate_hz"]}) > 1]
    if not swept:
        raise Skip("needs a run at two or more rates (scenario sweep)")
    series = [steps_of(run) for run, _ in swept]
    if not any(step["response"]["count"] for steps in series for step in steps):
        raise Skip("no event was recorded")
    across = min(MAX_COLUMNS, len(swept))
    down = -(-len(swept) // across)
    width = {1: 5.6, 2: 4.0}.get(across, 3.0)
    figure, axes = style.sheet(
        2 * down, across, (width, 1.9), words(swept), sharex=True, sharey="row",
        gap_inches=(0.14, 0.3 if down == 1 else 0.55),
        gridspec_kw={"height_ratios": [2.6, 1] * down})
    for number, ((run, name), steps) in enumerate(zip(swept, series)):
        row, column = 2 * (number // across), number % across
        draw_run(axes[row][column], axes[row + 1][column], name, steps)
    for number in range(len(swept), across * down):
        axes[2 * (number // across)][number % across].set_visible(False)
        axes[2 * (number // across) + 1][number % across].set_visible(False)
    finish(axes, series)
    yield f"sweep-{runs[0].scenario}", figure


def steps_of(run):
    return sorted((s for s in run.data["summary"] if s["rate_hz"]), key=lambda s: s["rate_hz"])


def words(swept):
    parts = [Part(run, name, step) for run, name in swept for step in steps_of(run)]
    made = caption("Response time against rate", parts)
    made.title = f"Response time against event rate \u2013 {swept[0][0].scenario}"
    # The plot marks saturated steps, so no note says that their trials missed the rate.
    made.notes = notes(parts, [part for part in parts if not part.step["saturated"]])
    return made


def draw_run(upper, lower, name, steps):
    rates = [step["rate_hz"] for step in steps]
    for percentile, field in LINES:
        points = [(step["rate_hz"], max(1, step["response"][field])) for step in steps
                  if step["response"]["count"]]
        upper.plot(*zip(*points) if points else ((), ()), label=percentile,
                   **style.percentile_style(percentile))
    share = [100 * step["achieved_rate_hz"] / step["rate_hz"] for step in steps]
    lower.plot(rates, share, color="black", marker="o", markersize=4, label="achieved")
    lower.axhline(99, color=style.GREY, linestyle="--", linewidth=1, label="99 %")
    upper.set_title(name, size=9, loc="left", pad=3)
    saturated = [step["rate_hz"] for step in steps if step["saturated"]]
    for panel in (upper, lower):
        for low, high in bands(rates, saturated):
            panel.axvspan(low, high, facecolor="#ededed", edgecolor="#b0b0b0", hatch="///",
                          linewidth=0, zorder=0, label="saturated")


def bands(rates, saturated):
    """The range around each saturated rate, half-way (in ratio) to its neighbours."""
    for rate in saturated:
        place = rates.index(rate)
        below = rates[place - 1] if place else rate * rate / rates[place + 1]
        above = rates[place + 1] if place + 1 < len(rates) else rate * rate / below
        yield (below * rate) ** 0.5, (above * rate) ** 0.5


def finish(axes, series):
    steps = [step for run in series for step in run]
    filled = [step["response"] for step in steps if step["response"]["count"]]
    rates = sorted({step["rate_hz"] for step in steps})
    edge = (rates[1] / rates[0]) ** 0.5
    low = max(1, min(latency["p50_ns"] for latency in filled))
    high = max(2, max(latency["max_ns"] for latency in filled))
    for upper, lower in zip(axes[::2], axes[1::2]):
        style.log_axis(upper[0].yaxis, low / 1.5, high * 1.5)
        upper[0].set_ylabel("response time (logarithmic)")
        lower[0].set(ylim=(0, 112), ylabel="achieved (%)")
        for panel in lower:
            panel.tick_params(labelbottom=True)
            panel.set_xlabel("target rate (events/s)")
    style.log_axis(axes[0][0].xaxis, rates[0] / edge, rates[-1] * edge, units.format_rate)
    style.legend(axes[0][-1], [
        *(style.handle(name, **style.percentile_style(name)) for name, _ in reversed(LINES)),
        style.patch("saturated: lower bounds", facecolor="#ededed", edgecolor="#b0b0b0",
                    hatch="///"),
        style.handle("achieved rate / target", color="black", marker="o", markersize=4),
        style.handle("99 % of the target", color=style.GREY, linestyle="--", linewidth=1)])


if __name__ == "__main__":
    import command
    command.main({"sweep": draw})
