#!/usr/bin/env python3
"""Percentile curves: how long does a call take at each percentile, out to the rarest events?

The x axis is HdrHistogram's: 1 / (1 - q), logarithmic, so each further nine is as wide as the last.
"""
import style
import units
from caption import Skip, caption, choose, closed_note, is_closed, plot_name

FULL_SERVICE_RUNS = 8


def curve(histogram):
    """Corners of the quantile function: x = 1 / (1 - q) up to the last event, y in ns."""
    total, below, x, y = histogram.total, 0, [], []
    for _, high, count in histogram.buckets:
        x += [total / (total - below), total / max(1, total - below - count)]
        y += [max(1, high)] * 2
        below += count
    return x, y


def marks(histogram):
    """The curve's points at 50 %, 90 %, 99 % … and at the last event."""
    total = histogram.total
    places = [2.0] + [10.0**k for k in range(1, 19)]
    points = [(x, max(1, histogram.quantile(1 - 1 / x))) for x in places if x <= total]
    return points + [(total, max(1, histogram.quantile(1)))]


def percent_ticks(highest):
    """Positions and texts of the ticks: 0 %, 50 %, 90 %, 99 %, 99.9 % … to beyond `highest`
    events."""
    places, texts = [1, 2, 10, 100], ["0%", "50%", "90%", "99%"]
    while places[-1] < highest:
        places.append(places[-1] * 10)
        texts.append(f"99.{'9' * (len(places) - 4)}%")
    return places, texts


def draw(runs, options):
    parts = choose(runs, options.rate_hz)
    if not any(part.step["response"]["count"] for part in parts):
        raise Skip("no event was recorded")
    # In a closed loop the service times are the response times.
    open_loop = not is_closed(parts)
    with_service = open_loop and len(parts) <= FULL_SERVICE_RUNS
    more = [f"Service times are drawn for up to {FULL_SERVICE_RUNS} runs."
            ] if open_loop and not with_service else closed_note(parts)
    figure, [[axes]] = style.sheet(1, 1, (6.6, 4.2), caption(
        "Latency by percentile", parts, among=runs, more=more))
    highest = max(part.step["response"]["count"] for part in parts)
    ends = []
    for number, part in enumerate(parts):
        if part.step["response"]["count"]:
            drawn = style.run_style(number)
            end = draw_part(axes, part, drawn, with_service and part.step["rate_hz"] > 0,
                            options.per_trial)
            ends.append((*end, label_of(part), drawn))
    floor = floor_ns(parts)
    if floor:
        axes.axhline(floor, color=style.GREY, linestyle=":", label="floor")
    finish(axes, highest)
    name_runs(axes, ends, [*line_handles(open_loop, with_service, options.per_trial, floor), *(
        style.handle(f"{part.name} (no events)", **style.run_style(number))
        for number, part in enumerate(parts) if not part.step["response"]["count"])])
    yield plot_name("percentiles", runs, options), figure


def name_runs(axes, ends, others):
    """Labels at the ends of the lines; where these do not fit, a legend in the order of the ends,
    the longest on top. ends: as for style.label_ends; others: handles of what is not a line."""
    if style.label_ends(axes, ends):
        style.legend_above(axes, others)
        return
    longest_first = sorted(ends, key=lambda end: -end[1])
    style.legend(axes, [*(style.handle(label, **drawn) for _, _, label, drawn in longest_first),
                        style.gap(), *others])


def label_of(part):
    return f"{part.title}, p99 {units.format_ns(part.p99_ns)}"


def draw_part(axes, part, drawn, with_service, per_trial):
    """Draws the curves of a part; returns the end of that of its response times."""
    color, marker = drawn["color"], drawn["marker"]
    response = part.run.histogram(part.step["response"])
    axes.plot(*curve(response), color=color, label=f"{part.name} response")
    axes.plot(*zip(*marks(response)), color=color, marker=marker, linestyle="none",
              label=f"{part.name} marks", clip_on=False, zorder=3)
    if with_service:
        axes.plot(*curve(part.run.histogram(part.step["service"])), color=color, linestyle="--",
                  linewidth=1.1, label=f"{part.name} service")
    if per_trial:
        for trial in part.trials:
            axes.plot(*curve(part.run.histogram(trial["response"])), color=color, linewidth=0.5,
                      alpha=0.7, label=f"{part.name} trial {trial['index']}")
    return response.total, max(1, response.quantile(1))


def floor_ns(parts):
    """The harness's own cost per call, the median of the trials shown; 0: not measured."""
    floors = sorted(trial["floor"]["service"]["p50_ns"] for part in parts for trial in part.trials
                    if trial["floor"]["service"]["count"])
    return floors[len(floors) // 2] if floors else 0


def finish(axes, highest):
    values = [value for line in axes.lines for value in line.get_ydata()]
    style.log_axis(axes.yaxis, min(values) / 1.4, max(values) * 1.4)
    axes.set(xscale="log", xlim=(1, max(100, highest) * 1.15), xlabel="percentile of events",
             ylabel="latency (logarithmic)")
    places, texts = percent_ticks(highest)
    shown = [(p, t) for p, t in zip(places, texts) if p <= max(100, highest) * 1.15]
    style.ticks(axes.xaxis, *zip(*shown))


def line_handles(open_loop, with_service, per_trial, floor):
    kind = "response time (from intended start)" if open_loop else "time of a call"
    lines = [style.handle(kind, color=style.GREY)]
    if with_service:
        lines.append(style.handle("service time (from call start)", color=style.GREY,
                                  linestyle="--", linewidth=1.1))
    if per_trial:
        lines.append(style.handle("response time of one trial", color=style.GREY, linewidth=0.5))
    if floor:
        lines.append(style.handle(f"harness's own cost {units.format_ns(floor)}",
                                  color=style.GREY, linestyle=":"))
    return lines


if __name__ == "__main__":
    import command
    command.main({"percentiles": draw})
