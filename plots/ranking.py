#!/usr/bin/env python3
"""Ranking: which sink has the shortest tail? A row for each sink, the shortest p99 on top."""
import style
import units
from caption import (Skip, between_rates, caption, choose, closed_note, is_closed, order_note,
                     plot_name)
from percentiles import floor_ns

ROW_INCHES = 0.34
SHOWN = (("p50", "p50_ns"), ("p99", "p99_ns"), ("p99.9", "p99_9_ns"))


def draw(runs, options):
    parts = choose(runs, options.rate_hz)
    if len(parts) < 2:
        raise Skip("needs two or more sinks to rank")
    if not any(part.has_times for part in parts):
        raise Skip("no event was recorded")
    figure, [[panel]] = style.sheet(1, 1, (5.6, ROW_INCHES * (len(parts) + 0.6)), caption(
        "Which sink has the shortest tail?", parts, among=runs,
        more=[order_note(parts), *closed_note(parts)]))
    floor = floor_ns(parts)
    if floor:
        panel.axvline(floor, color=style.GREY, linestyle=":", label="floor")
    draw_rows(panel, parts, "response", SHOWN, [f"harness's own cost {units.format_ns(floor)}"
                                                ] if floor else [])
    panel.set_xlabel(f"{'time of a call' if is_closed(parts) else 'response time'} (logarithmic)")
    yield plot_name("ranking", runs, options), figure


def draw_rows(panel, parts, kind, shown, dotted=()):
    """A row of points for each part: these percentiles of its distribution `kind`, as points and
    beside the panel as numbers. dotted: names of dotted lines in the legend."""
    values = []
    for row, part in enumerate(parts):
        latency = part.step[kind]
        if not latency["count"] or not part.has_times:
            continue
        places = [max(1, latency[field]) for _, field in shown]
        values += places
        panel.plot([places[0], places[-1]], [row, row], color=style.GREY, linewidth=1.2, zorder=1,
                   linestyle=":" if part.step["saturated"] else "-", label=f"{part.name} span")
        for (name, _), place in zip(shown, places):
            panel.plot([place], [row], label=f"{part.name} {name}", markersize=6.5,
                       **(style.percentile_style(name) | {"linestyle": "none"}))
    for row in between_rates(parts):
        panel.axhline(row - 0.5, color="#555555", linewidth=1, label="another rate")
    low, high = min(values), max(values)
    for line in panel.lines:
        if line.get_label() == "floor":
            low = min(low, line.get_xdata()[0])
    style.log_axis(panel.xaxis, low / 1.5, high * 1.5)
    style.ticks(panel.yaxis, range(len(parts)), [part.name for part in parts])
    panel.set_ylim(len(parts) - 0.4, -0.6)
    style.table(panel, [(name, style.PERCENTILES[name][0]) for name, _ in shown],
                [numbers(part, kind, shown) for part in parts], range(len(parts)))
    style.legend_above(panel, [
        *(style.handle(name, markersize=6.5,
                       **(style.percentile_style(name) | {"linestyle": "none"}))
          for name, _ in shown),
        *(style.handle(name, color=style.GREY, linestyle=":") for name in dotted)])


def numbers(part, kind, shown):
    """The row of numbers beside the panel, and what restricts them."""
    latency = part.step[kind]
    if not latency["count"] or not part.has_times:
        return [*("" for _ in shown), ", ".join(part.marks) if part.lost_share else "no events"]
    return [*(units.format_ns(latency[field]) for _, field in shown), ", ".join(part.marks)]


if __name__ == "__main__":
    import command
    command.main({"ranking": draw})
