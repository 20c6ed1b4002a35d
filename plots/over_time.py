#!/usr/bin/env python3
"""Latency over time: was it constant, or did it drift, pulse or stall once?

One figure a run, one panel a trial: a heat map of response times per interval, with lines for
p50, p99 and the maximum of each interval.
"""
import math

import style
from caption import Skip, caption, choose

MAX_COLUMNS = 5
CELLS_PER_DECADE = 20
LINES = (("p50", "p50_ns"), ("p99", "p99_ns"), ("max", "max_ns"))


def columns(trial):
    """Edges of the intervals in seconds since recording started, and the latency of each. A gap
    between two intervals is a column with None."""
    edges, latencies = [], []
    for interval in sorted(trial["intervals"], key=lambda i: i["start_ns"]):
        start, end = ((interval[key] - trial["start_ns"]) / 1e9 for key in ("start_ns", "end_ns"))
        if end <= start:
            continue
        if edges and start > edges[-1]:
            edges.append(start)
            latencies.append(None)
        if not edges:
            edges.append(start)
        edges.append(end)
        latencies.append(interval["response"])
    return edges, latencies


def cells(run, latencies, low_exponent, rows):
    """Events per cell [row][column]; row k starts at 10 ** (low_exponent + k / CELLS_PER_DECADE)
    ns."""
    grid = [[0] * len(latencies) for _ in range(rows)]
    for column, latency in enumerate(latencies):
        for low, high, count in run.histogram(latency).buckets if latency else ():
            place = (math.log10(max(1, (low + high) / 2)) - low_exponent) * CELLS_PER_DECADE
            grid[min(max(int(place), 0), rows - 1)][column] += count
    return grid


def draw(runs, options):
    drawn, empty = 0, []
    for part in choose(runs, options.rate_hz):
        trials = [trial for trial in part.run.trials(part.step["step"])
                  if any(interval["response"]["count"] for interval in trial["intervals"])
                  and options.trial in (None, trial["index"])]
        if trials:
            drawn += 1
            yield f"over_time-{part.run.scenario}@{part.run.label}", draw_run(part, trials)
        else:
            empty.append(part.name)
    if not drawn:
        chosen = "" if options.trial is None else f" in trial {options.trial}"
        raise Skip(f"no interval with events{chosen} ({', '.join(empty)})")


def draw_run(part, trials):
    across = min(MAX_COLUMNS, len(trials))
    down = -(-len(trials) // across)
    width = {1: 6.4, 2: 4.0, 3: 3.2}.get(across, 2.6)
    figure, axes = style.sheet(
        down, across, (width, 3.4 if down == 1 else 2.4),
        caption(f"Response time over time, {part.name}", [part]), gap_inches=(0.28, 0.42),
        sharex=True, sharey=True)
    panels = [panel for row in axes for panel in row]
    spans = [columns(trial) for trial in trials]
    digests = [latency for _, latencies in spans for latency in latencies
               if latency and latency["count"]]
    lowest = max(1, min(digest["min_ns"] for digest in digests)) / 1.5
    low_exponent = math.floor(math.log10(lowest) * CELLS_PER_DECADE) / CELLS_PER_DECADE
    top = math.log10(max(2, max(digest["max_ns"] for digest in digests)) * 1.3)
    rows = max(CELLS_PER_DECADE, math.ceil((top - low_exponent) * CELLS_PER_DECADE))
    grids = [cells(part.run, latencies, low_exponent, rows) for _, latencies in spans]
    shades = style.count_colors(max(max(map(max, grid)) for grid in grids))
    levels = [10 ** (low_exponent + k / CELLS_PER_DECADE) for k in range(rows + 1)]
    for panel, trial, (edges, latencies), grid in zip(panels, trials, spans, grids):
        seen = [[count or math.nan for count in row] for row in grid]
        mesh = panel.pcolormesh(edges, levels, seen, **shades, rasterized=True)
        lines(panel, edges, latencies)
        failed = "" if trial["outcome"] == "completed" else f" ({trial['outcome']})"
        panel.set_title(f"trial {trial['index']}{failed}", size=9, loc="left", pad=3)
    finish(figure, panels[len(trials):], axes, levels, max(edges[-1] for edges, _ in spans), mesh)
    return figure


def lines(panel, edges, latencies):
    middles = [(a + b) / 2 for a, b in zip(edges, edges[1:])]
    few = len(middles) <= 30
    for name, field in LINES:
        values = [max(1, latency[field]) if latency and latency["count"] else math.nan
                  for latency in latencies]
        line_style = style.percentile_style(name)
        panel.plot(middles, values, label=name, path_effects=style.HALO, **line_style,
                   markersize=3.5 if few else 0)


def finish(figure, unused, axes, levels, end_s, mesh):
    for panel in unused:
        panel.set_visible(False)
    first = axes[0][0]
    style.log_axis(first.yaxis, levels[0], levels[-1])
    first.set_xlim(0, end_s)
    style.few_ticks(first.xaxis, 8 if len(axes[0]) == 1 else 5)
    for row in axes:
        row[0].set_ylabel("response time (logarithmic)")
    for column in zip(*axes):
        shown = [panel for panel in column if panel.get_visible()]
        shown[-1].set_xlabel("time since recording began (s)")
        shown[-1].tick_params(labelbottom=True)
    right = axes[0][-1]
    style.legend(right, list(reversed(first.lines)))
    style.color_scale(figure, right, mesh, "events per cell")


if __name__ == "__main__":
    import command
    command.main({"over_time": draw})
