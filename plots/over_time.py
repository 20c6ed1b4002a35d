#!/usr/bin/env python3
"""Latency over time: was it constant, or did it drift, pulse or stall once?

One figure a run, one panel a trial: a heat map of response times per interval, with lines for
p50, p99 and the maximum of each interval. In a ramp the x axis is the rate at that time. Bursts
have a second panel a trial: the events that returned at each time since their burst began.
"""
import math

import bursts
import style
import units
from caption import MOST_NAMES, Skip, caption, choose, listed, loss_marks

MAX_COLUMNS = 5
CELLS_PER_DECADE = 20
LINES = (("p50", "p50_ns"), ("p99", "p99_ns"), ("max", "max_ns"))
# Intervals this share of the load beyond the end of a ramp are cut off.
SHORT_END = 0.03


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


def is_ramp(load):
    return (load["shape"] == "ramp" and load["duration_s"] > 0
            and load["rate_hz"] != load["end_rate_hz"])


def rate_at(load, seconds):
    """The target rate of a ramp so long after recording started."""
    share = seconds / load["duration_s"]
    return load["rate_hz"] + share * (load["end_rate_hz"] - load["rate_hz"])


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
        if any(shows_time(trial) for trial in trials):
            drawn += 1
            yield name_of(part, options), draw_run(part, trials)
        else:
            empty.append(part.name)
    if not drawn:
        chosen = "" if options.trial is None else f" in trial {options.trial}"
        raise Skip(f"fewer than two intervals with events{chosen} ({listed(empty, MOST_NAMES)}); "
                   "run for longer, or with a shorter --interval-s")


def shows_time(trial):
    """Whether there is more than one point in time, or a burst, which has a panel of its own."""
    filled = sum(interval["response"]["count"] > 0 for interval in trial["intervals"])
    return filled > 1 or is_bursting(trial["load"])


def is_bursting(load):
    return load["shape"] == "burst" and load["burst_gap_s"] > 0


def name_of(part, options):
    """The name of a run's plot, of which a chosen rate and a chosen trial are parts."""
    chosen = [] if options.rate_hz is None else [f"rate_hz-{options.rate_hz:.12g}"]
    chosen += [] if options.trial is None else [f"trial-{options.trial}"]
    return (f"over_time-{part.run.scenario}@{part.run.label}"
            + (f"+{'_'.join(chosen)}" if chosen else ""))


def draw_run(part, trials):
    load = trials[0]["load"]
    bursting = is_bursting(load)
    across = min(MAX_COLUMNS, len(trials))
    down = -(-len(trials) // across)
    width = {1: 6.4, 2: 4.0, 3: 3.2}.get(across, 2.6)
    rows_each = 2 if bursting else 1
    figure, axes = style.sheet(
        down * rows_each, across, (width, 3.4 if down * rows_each == 1 else 2.4),
        caption(f"Response time over {'the rate' if is_ramp(load) else 'time'}, {part.sink}",
                [part], among=[part.run], more=bursts.notes(trials) if bursting else ()),
        gap_inches=(0.28, 0.6 if bursting else 0.42), sharey="row")
    places = [(rows_each * (number // across), number % across) for number in range(down * across)]
    maps = [axes[row + rows_each - 1][column] for row, column in places]
    if bursting:
        bursts.draw([axes[row][column] for row, column in places], part, trials, title_of)
    draw_maps(figure, maps, part, trials, across, titled=not bursting)
    return figure


def title_of(trial):
    found = [] if trial["outcome"] == "completed" else [trial["outcome"]]
    found += ["missed the rate"] if trial["rate_missed"] else []
    found += loss_marks([trial])
    return f"trial {trial['index']}" + (f" ({', '.join(found)})" if found else "")


def draw_maps(figure, panels, part, trials, across, titled):
    """The heat maps of the trials, with common axes."""
    spans = [columns(trial) for trial in trials]
    levels, grids = levels_and_cells(part, spans)
    shades = style.count_colors(max(max(map(max, grid)) for grid in grids))
    for panel, trial, (edges, latencies), grid in zip(panels, trials, spans, grids):
        seen = [[count or math.nan for count in row] for row in grid]
        places = [rate_at(trial["load"], edge) if is_ramp(trial["load"]) else edge
                  for edge in edges]
        mesh = panel.pcolormesh(places, levels, seen, **shades, rasterized=True)
        lines(panel, places, latencies)
        if titled:
            panel.set_title(title_of(trial), size=9, loc="left", pad=3)
    for panel in panels[len(trials):]:
        panel.set_visible(False)
    end_s = max(edges[-1] for edges, _ in spans)
    finish(panels[:len(trials)], across, levels, end_s, trials[0]["load"])
    right = panels[min(across, len(trials)) - 1]
    style.legend(right, [line for line in reversed(right.lines)
                         if line.get_label() in style.PERCENTILES])
    style.color_scale(figure, right, mesh, "events per cell")


def levels_and_cells(part, spans):
    """The edges of the rows of cells in ns, and the cells of each trial."""
    digests = [latency for _, latencies in spans for latency in latencies
               if latency and latency["count"]]
    lowest = max(1, min(digest["min_ns"] for digest in digests)) / 1.5
    low_exponent = math.floor(math.log10(lowest) * CELLS_PER_DECADE) / CELLS_PER_DECADE
    top = math.log10(max(2, max(digest["max_ns"] for digest in digests)) * 1.3)
    rows = max(CELLS_PER_DECADE, math.ceil((top - low_exponent) * CELLS_PER_DECADE))
    levels = [10 ** (low_exponent + k / CELLS_PER_DECADE) for k in range(rows + 1)]
    return levels, [cells(part.run, latencies, low_exponent, rows) for _, latencies in spans]


def lines(panel, edges, latencies):
    middles = [(a + b) / 2 for a, b in zip(edges, edges[1:])]
    few = len(middles) <= 30
    for name, field in LINES:
        values = [max(1, latency[field]) if latency and latency["count"] else math.nan
                  for latency in latencies]
        line_style = style.percentile_style(name)
        panel.plot(middles, values, label=name, path_effects=style.HALO, **line_style,
                   markersize=3.5 if few else 0)


def finish(panels, across, levels, end_s, load):
    ramp = is_ramp(load)
    for number, panel in enumerate(panels):
        style.log_axis(panel.yaxis, levels[0], levels[-1])
        if ramp:
            ramp_axis(panel, end_s, load)
        else:
            panel.set_xlim(0, end_s)
            style.few_ticks(panel.xaxis, 8 if across == 1 else 5)
        if number % across == 0:
            panel.set_ylabel("response time (logarithmic)")
        if number + across >= len(panels):
            panel.set_xlabel("target rate at that time (events/s)" if ramp else
                             "time since recording began (s)")


def ramp_axis(panel, end_s, load):
    """The x axis from the first rate to the last. Where calls returned much later than the ramp
    ended, it goes on, and that time is hatched."""
    late = end_s > load["duration_s"] * (1 + SHORT_END)
    last = rate_at(load, end_s) if late else load["end_rate_hz"]
    panel.set_xlim(load["rate_hz"], last)
    style.linear_rates(panel.xaxis)
    style.few_ticks(panel.xaxis, 5)
    if late:
        panel.axvspan(load["end_rate_hz"], last, **style.SATURATED, linewidth=0, zorder=0,
                      label="after the ramp")
        style.inside(panel, f"hatched: {units.format_ns(1e9 * (end_s - load['duration_s']))} after "
                     "the ramp's end")


if __name__ == "__main__":
    import command
    command.main({"over_time": draw})
