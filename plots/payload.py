#!/usr/bin/env python3
"""Payload: what does a byte cost, and up to which size does each sink take events whole?

The upper panel has the median call by size, up to the largest size that came back whole; the lower
one the bytes that the path wrote for each byte of an event.
"""
import re

import answers
import style
import units
from answers import ends, figures
from caption import MOST_NAMES, listed

COST = re.compile(r"at_(\d+)_bytes_service_p50_ns")
BEYOND = {"marker": "X", "color": "#CC0000", "linestyle": "none", "markersize": 8}


def draw(runs, options):
    del options  # there is nothing to choose
    named = sorted(answers.answered(runs, "payload"), key=cost_order)
    counted = {name: points for run, name in named if (points := written_of(run))}
    figure, rows = style.sheet(2 if counted else 1, 1, (6.4, 2.9), words(runs, named), sharex=True,
                               gap_inches=(0.3, 0.25))
    panels = [panel for [panel] in rows]
    for number, (run, name) in enumerate(named):
        drawn = style.run_style(number)
        draw_times(panels[0], run, name, drawn)
        if name in counted:
            panels[1].plot(*zip(*counted[name]), label=f"{name} written", **drawn)
    finish(panels, named)
    yield answers.plot_name("payload", runs), figure


def words(runs, named):
    seen = [name for run, name in named if written_of(run)]
    unseen = [name for run, name in named if costs(run) and name not in seen]
    return answers.words("What does an event's size cost, and how large may it be?", runs, named,
                         answers.where_asked(named), [
                             *(["Bytes written are those of system calls while the recorded load "
                                "ran."] if seen else []),
                             *(["No bytes were written by system calls, but by mapped memory, or "
                                f"not counted: {listed(unseen, MOST_NAMES)}."] if unseen else [])])


def costs(run):
    """(size, figure) of each size that came back whole, the smallest first."""
    found = [(int(match[1]), figure) for name, figure in figures(run).items()
             if (match := COST.fullmatch(name))]
    return sorted(found, key=lambda one: one[0])


def cost_order(one):
    """The cheapest at the largest size first; those that take none last."""
    found = costs(one[0])
    return (not found, found[-1][1]["value"] if found else 0)


def limit_of(run):
    """(largest that came back whole or None, smallest that did not or None)."""
    limit = figures(run).get("limit_bytes")
    if not limit:
        return None, min(sizes(run), default=None)
    return limit["value"], limit.get("high")


def size_of(trial):
    text = trial["load"]["payload"]
    return int(text) if text.isdecimal() else 0


def sizes(run):
    return answers.by_step(run, size_of)


def draw_times(panel, run, name, drawn):
    points = [(size, max(1, figure["value"])) for size, figure in costs(run)]
    if not points:
        return
    panel.plot(*zip(*points), label=name, **drawn)
    for size, figure in costs(run):
        low, high = ends(figure)
        panel.vlines(size, max(1, low), max(1, high), color=drawn["color"], linewidth=1, alpha=0.6)
    beyond = limit_of(run)[1]
    if beyond:
        panel.plot([points[-1][0], beyond], [points[-1][1]] * 2, color=BEYOND["color"],
                   linestyle=":", linewidth=1, label=f"{name} to its limit")
        panel.plot([beyond], [points[-1][1]], label=f"{name} limit", zorder=4, **BEYOND)


def written_of(run):
    """(size, bytes written by provider and daemons for each byte of an event), where the events
    came back whole; nothing if the path wrote none by system calls."""
    whole = {size for size, _ in costs(run) if size}
    found = []
    for step in run.data["summary"]:
        size = size_of(run.trials(step["step"])[0])
        for role in step.get("overhead", []):
            if role["role"] == "logging" and "written_bytes_per_event" in role and size in whole:
                found.append((size, role["written_bytes_per_event"]["mean"] / size))
    return sorted(found) if any(ratio > 0 for _, ratio in found) else []


def fate_of(run, size):
    """What becomes of events of a size that do not come back whole."""
    for trial in sizes(run).get(size, []):
        ledger = trial["ledger"]
        for loss in ledger["losses"]:
            if loss["events"]:
                return f"{'refused' if loss['reported_by'] == 'call' else 'lost'}: {loss['cause']}"
        if ledger["corrupted"] or ledger["damaged_bytes"]:
            return "changed or cut"
        if ledger["unaccounted_cause"] or trial["outcome"] == "unchecked":
            return "not read back"
        if ledger["checked"] and ledger["unaccounted"]:
            return "lost without a report"
    return "in some trials only"


def limits(named):
    """(largest size, sink) of each sink, the largest first."""
    rows = []
    for run, name in sorted(named, key=lambda one: -(limit_of(one[0])[0] or 0)):
        whole, beyond = limit_of(run)
        text = "none" if whole is None else units.format_bytes(whole)
        if beyond is None:
            rows.append((f"\u2265 {text}", name))
        else:
            rows.append((text, f"{name}; {units.format_bytes(beyond)} {fate_of(run, int(beyond))}"))
    return rows


def finish(panels, named):
    times = panels[0]
    values = [value for line in times.lines for value in line.get_ydata()] or [1, 10]
    style.log_axis(times.yaxis, min(values) / 1.5, max(values) * 1.5)
    tried = [size for run, _ in named for size in sizes(run) if size]
    low, high = min(tried, default=1), max(tried, default=2)
    for panel in panels:
        panel.set(xscale="log", xlim=(low / 1.3, high * 1.3))
    places = [4**power for power in range(1, 20) if low / 1.3 <= 4**power <= high * 1.3] or [low]
    style.ticks(times.xaxis, places, [units.format_bytes(place) for place in places])
    times.set_ylabel("median call (service, log.)")
    panels[-1].set_xlabel("size of an event (logarithmic)")
    for written in panels[1:]:
        most = max(y for line in written.lines for y in line.get_ydata())
        written.set(ylim=(0, 1.1 * max(1.0, most)), ylabel="bytes written\nper byte of an event")
        written.axhline(1, color=style.GREY, linestyle="--", linewidth=1, label="as many")
    name_lines(times, named)


def name_lines(times, named):
    ends_of = [(*points[-1], name, style.run_style(number))
               for number, (run, name) in enumerate(named)
               if (points := [(size, max(1, one["value"])) for size, one in costs(run)])]
    beside = style.label_ends(times, ends_of)
    if not beside:
        style.legend(times, [style.handle(name, **drawn) for _, _, name, drawn in ends_of])
    style.legend_above(times, [
        style.handle("median, least to most of the trials", color=style.GREY, marker="o"),
        *([style.handle("not whole any more", **BEYOND)]
          if any(limit_of(run)[1] for run, _ in named) else [])], beside_another=not beside)
    longest = max(len(name) for _, name in named)
    style.ranked_list(times, "Largest event that comes back whole", limits(named),
                      0.75 + 0.078 * longest + (0 if beside else 0.4))


if __name__ == "__main__":
    import command
    command.main({"payload": draw})
