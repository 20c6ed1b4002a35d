"""Bursts: what happens within one. All events of a burst are due when it begins, so an event's
response time is the time since then at which its call returned."""
import style
import units
from histogram import RESPONSE, bin_edges, binned

LINES = (("p50", "p50_ns"), ("p99", "p99_ns"), ("max", "max_ns"))
SHORTEST_S = 0.01  # interval that the program can be told to keep


def number_of(trial):
    """The bursts of a trial."""
    load = trial["load"]
    return max(1.0, trial["response"]["count"] / max(1, load["burst_events"] * load["threads"]))


def draw(panels, part, trials, title_of):
    """A panel for each trial: events per burst that returned in each bin since its burst began."""
    filled = [trial["response"] for trial in trials if trial["response"]["count"]]
    edges = bin_edges(min((latency["min_ns"] for latency in filled), default=1),
                      max((latency["max_ns"] for latency in filled), default=10))
    gap_ns = 1e9 * trials[0]["load"]["burst_gap_s"]
    highest = 0.0
    for panel, trial in zip(panels, trials):
        counts = binned(part.run.histogram(trial["response"]), edges)
        each = [count / number_of(trial) for count in counts]
        highest = max(highest, *each)
        panel.stairs(each, edges, fill=True, **RESPONSE, label="returned")
        for name, field in LINES:
            panel.axvline(max(1, trial["response"][field]), label=name, **line_of(name))
        if gap_ns < edges[-1]:
            panel.axvline(gap_ns, color="black", linewidth=2, label="next burst")
        panel.set_title(title_of(trial), size=9, loc="left", pad=3)
    for number, panel in enumerate(panels):
        panel.set_visible(number < len(trials))
        panel.set(ylim=(0, 1.1 * highest or 1), xlabel="time since the burst began (logarithmic)")
        style.log_axis(panel.xaxis, edges[0], edges[-1])
    panels[0].set_ylabel("events of a burst per bin")
    style.legend(panels[min(len(trials), len(panels)) - 1], handles(gap_ns < edges[-1]))


def line_of(name):
    return style.percentile_style(name) | {"marker": None}


def handles(overlap):
    made = [style.patch("calls that returned,\nmean of all bursts", **RESPONSE)]
    made += [style.handle(name, **line_of(name)) for name, _ in LINES]
    if overlap:
        made.append(style.handle("the next burst begins", color="black", linewidth=2))
    return made


def notes(trials):
    """What the heat maps cannot show."""
    gap_s = trials[0]["load"]["burst_gap_s"]
    lengths = sorted(interval["end_ns"] - interval["start_ns"] for trial in trials
                     for interval in trial["intervals"])
    bin_ns = lengths[len(lengths) // 2]
    if bin_ns <= 1e9 * gap_s / 2:
        return []
    better = gap_s / 4
    return [f"A column of the lower panels is {units.format_ns(bin_ns)} long, and a burst begins "
            f"every {units.format_ns(1e9 * gap_s)}"
            + (f": run with --interval-s {better:.2g} to see each." if better >= SHORTEST_S
               else ", so it holds several.")]
