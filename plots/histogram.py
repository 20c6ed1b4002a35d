#!/usr/bin/env python3
"""Latency histograms: how are the calls of each sink distributed, and how far out is the worst?"""
import bisect
import math

import style
import units
from caption import Skip, between_rates, caption, choose, order_note, plot_name

BINS_PER_DECADE = 20
MOST_PANELS = 6  # more runs share one panel, a ridge each
RIDGE_HEIGHT = 1.5  # of the highest ridge, in rows: ridges overlap a little
# Each colour has one meaning; the lines of percentiles have those of style.PERCENTILES.
RESPONSE = {"facecolor": "#d0d0d0"}
SERVICE = {"facecolor": "none", "edgecolor": "#009E73"}
MARKED = (("p50", "p50_ns"), ("p99", "p99_ns"), ("max", "max_ns"))


def bin_edges(low_ns, high_ns):
    """Edges of bins that grow in equal ratios. They lie half-way between whole nanoseconds, so that
    a value can fall into every bin."""
    first = math.floor(math.log10(max(1, low_ns)) * BINS_PER_DECADE)
    last = math.ceil(math.log10(max(1, high_ns) + 1) * BINS_PER_DECADE) + 1
    whole = sorted({round(10 ** (k / BINS_PER_DECADE)) for k in range(first, last + 1)})
    return [value - 0.5 for value in whole]


def binned(histogram, edges):
    """Events per bin; a histogram's bucket counts in the bin of its midpoint."""
    counts = [0] * (len(edges) - 1)
    for low, high, count in histogram.buckets:
        place = bisect.bisect_right(edges, max(1, (low + high) / 2)) - 1
        counts[min(max(place, 0), len(counts) - 1)] += count
    return counts


def draw(runs, options):
    parts = choose(runs, options.rate_hz)
    filled = [part.run.histogram(part.step[kind]).buckets for part in parts
              for kind in ("response", "service")]
    filled = [buckets for buckets in filled if buckets]
    if not filled:
        raise Skip("no event was recorded")
    edges = bin_edges(min(b[0][0] for b in filled), max(b[-1][1] for b in filled))
    drawing = draw_panels if len(parts) <= MOST_PANELS else draw_ridges
    yield plot_name("histogram", runs, options), drawing(parts, edges, runs)


def draw_panels(parts, edges, runs):
    """A panel for each run."""
    height = max(1.1, min(2.6, 9 / len(parts)))
    figure, axes = style.sheet(len(parts), 1, (6.2, height),
                               caption("Latency histogram", parts, among=runs),
                               gap_inches=(0, 0.16), sharex=True, sharey=True)
    for number, (part, [panel]) in enumerate(zip(parts, axes)):
        draw_part(panel, part, edges)
        panel.set_ylabel("events per bin" if height > 1.4 else "events")
        if number == 0:
            style.legend_above(panel, handles(any(one.step["rate_hz"] > 0 for one in parts)))
    finish(axes, edges)
    return figure


def draw_ridges(parts, edges, runs):
    """All runs in one panel: a ridge each, whose height is the logarithm of the events per bin."""
    more = [order_note(parts),
            "Height: events per bin, logarithmic, the same scale for all ridges."]
    figure, [[panel]] = style.sheet(1, 1, (6.2, 0.5 * (len(parts) + 1)),
                                    caption("Latency histogram", parts, among=runs, more=more))
    counts = [binned(part.run.histogram(part.step["response"]), edges) for part in parts]
    scale = RIDGE_HEIGHT / math.log1p(max(map(max, counts)))
    for row, (part, seen) in enumerate(zip(parts, counts)):
        heights = [row - scale * math.log1p(count) for count in seen]
        panel.stairs(heights, edges, baseline=row, fill=True, **RESPONSE, zorder=2 + row)
        panel.stairs(heights, edges, baseline=None, color="#555555", linewidth=0.8,
                     zorder=2 + row, label=part.name)
        if part.step["response"]["count"]:
            for name, field in MARKED:
                panel.plot([max(1, part.step["response"][field])], [row], zorder=3 + len(parts),
                           label=f"{part.name} {name}",
                           **(style.percentile_style(name) | {"linestyle": "none"}))
    for row in between_rates(parts):
        panel.axhline(row - 0.75, color="#555555", linewidth=1, linestyle="--", zorder=2)
    finish_ridges(panel, parts, edges)
    return figure


def finish_ridges(panel, parts, edges):
    style.ticks(panel.yaxis, range(len(parts)), [part.name for part in parts])
    panel.set_ylim(len(parts) - 0.5, -RIDGE_HEIGHT - 0.1)
    panel.grid(False, axis="y")
    style.log_axis(panel.xaxis, edges[0], edges[-1])
    panel.set_xlabel("response time (logarithmic)")
    style.table(panel, [(name, style.PERCENTILES[name][0]) for name, _ in MARKED], [
        [*(units.format_ns(part.step["response"][field]) for _, field in MARKED),
         ", ".join(part.marks)] if part.step["response"]["count"] else ["", "", "", "no events"]
        for part in parts], range(len(parts)))
    style.legend_above(panel, [
        style.patch("response time", **RESPONSE),
        *(style.handle(name, **(style.percentile_style(name) | {"linestyle": "none"}))
          for name, _ in MARKED)])


def draw_part(panel, part, edges):
    response = part.step["response"]
    style.beside(panel, part.name, facts(part))
    if not response["count"]:
        panel.text(0.5, 0.5, "no events", transform=panel.transAxes, ha="center", va="center")
        return
    panel.stairs(binned(part.run.histogram(response), edges), edges, fill=True, **RESPONSE,
                 label="response")
    if part.step["rate_hz"] > 0:
        panel.stairs(binned(part.run.histogram(part.step["service"]), edges), edges,
                     color=SERVICE["edgecolor"], linewidth=1.0, label="service")
    for name, value in (("p50", response["p50_ns"]), ("p99", response["p99_ns"])):
        color, dashes, _ = style.PERCENTILES[name]
        panel.axvline(max(1, value), color=color, linestyle=dashes, linewidth=1.3, label=name)
    worst = max(1, response["max_ns"])
    panel.axvline(worst, color="black", linestyle=":", linewidth=1.6, label="max")
    bound = "≥ " if response["overflow"] else ""
    panel.annotate(f"max {bound}{units.format_ns(response['max_ns'])}", (worst, 0.93),
                   xycoords=("data", "axes fraction"), xytext=(4, 0), textcoords="offset points",
                   va="top", size=8.5)


def facts(part):
    """The lines of text beside a panel."""
    response = part.step["response"]
    if response["count"]:
        p50, p99 = (units.format_ns(response[key]) for key in ("p50_ns", "p99_ns"))
        yield f"p50 {p50}, p99 {p99}"
        yield f"{response['count']:,} event{'s' if response['count'] != 1 else ''}"
    yield from part.marks


def handles(with_service):
    return [style.patch("response time", **RESPONSE),
            *([style.patch("service time", **SERVICE)] if with_service else []),
            *(style.handle(name, color=style.PERCENTILES[name][0],
                           linestyle=style.PERCENTILES[name][1]) for name in ("p50", "p99")),
            style.handle("maximum", color="black", linestyle=":", linewidth=1.6)]


def finish(axes, edges):
    highest = max(max(stairs.get_data().values) for [panel] in axes for stairs in panel.patches)
    bottom = axes[-1][0]
    # The maximum's value is printed to the right of its line and needs a seventh of the width.
    span = max(1.0, math.log10(edges[-1] / edges[0]))
    style.log_axis(bottom.xaxis, edges[0] / 10 ** (0.02 * span),
                   edges[-1] * 10 ** (0.15 * span))
    style.log_axis(bottom.yaxis, 0.6, max(10, highest) * 2, units.format_rate)
    bottom.set_xlabel("latency (logarithmic)")


if __name__ == "__main__":
    import command
    command.main({"histogram": draw})
