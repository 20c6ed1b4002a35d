#!/usr/bin/env python3
"""Stopped: do the times show that a process was stopped half of the time, and who waits for it?

The left panel has the response time by share of the events, in lengths of a stop; the right one the
longest response time of each interval, by the time since the last stop began.
"""
import answers
import style
import units
from answers import ends, figures
from caption import MOST_NAMES, Skip, listed

DEMANDED = 0.8      # of a stop: the least p90 of a program that is stopped half of the time
MOST_STOPS = 2.0    # what is shown of the response times, in lengths of a stop
SHORTEST_S = 0.01   # interval that the program can be told to keep
TITLES = {"program": "Do the times show the stops of the program?",
          "daemon": "Do callers wait for a daemon that is stopped?"}


def draw(runs, options):
    del options  # there is nothing to choose
    named = answers.answered(runs, "stopped")
    shown = [one for one in named if "p90_per_stop" in figures(one[0])]
    absent = [name for run, name in named if "p90_per_stop" not in figures(run)]
    left_out = [f"Nothing could be stopped: {listed(absent, MOST_NAMES)}."] if absent else []
    if not shown:
        raise Skip("nothing could be stopped")
    for who in TITLES:
        some = sorted((one for one in shown if stopped_of(one[0]) == who),
                      key=lambda one: p90_per_stop(one[0]))
        if some:
            name = answers.plot_name("stopped", runs) + ("-daemon" if who == "daemon" else "")
            yield name, draw_who(runs, some, who, left_out)


def stopped_of(run):
    """Who was stopped: program or daemon."""
    for trial in run.data["trials"]:
        for action in trial.get("actions", []):
            if action["what"] == "stop" and not action["refused"]:
                return "program" if action["who"] == "program" else "daemon"
    return ""


def p90_per_stop(run):
    return figures(run)["p90_per_stop"]["value"]


def stop_ns(run):
    return max(1.0, figures(run)["stop_ns"]["value"])


def draw_who(runs, named, who, left_out):
    lengths = sorted({units.format_ns(stop_ns(run), digits=2) for run, _ in named})
    more = [f"Stops of {listed(lengths, MOST_NAMES)}, half of the time; the plot ends at "
            f"{MOST_STOPS:g} of them.", *left_out]
    if who == "program":
        more.insert(0, "What is due in a stop waits for its end: a tenth of all events must wait "
                       "80 % of a stop or longer. A curve below that point hides the stops.")
    seen = {name: waits(run) for run, name in named}
    coarse = [name for name, points in seen.items() if not points]
    if coarse:
        better = max(SHORTEST_S, min(stop_ns(run) for run, _ in named) / 1e10)
        more.append(f"Intervals too long to tell a stop from the time after it: "
                    f"{listed(coarse, MOST_NAMES)}; run with --interval-s {better:.2g}.")
    figure, [panels] = style.sheet(
        1, 2, (3.6, 3.6), answers.words(TITLES[who], runs, named, answers.where_asked(named), more),
        gap_inches=(0.25, 0.3), sharey=True)
    top = draw_shares(panels[0], named, who)
    draw_waits(panels[1], named, seen, top)
    name_runs(panels, named, who)
    return figure


def shares(run):
    """The response time by the share of the events with a shorter one: x in %, y in stops."""
    step = run.data["summary"][0]
    histogram, length = run.histogram(step["response"]), stop_ns(run)
    below, x, y = 0, [], []
    for _, high, count in histogram.buckets:
        x += [100 * below / histogram.total, 100 * (below + count) / histogram.total]
        y += [high / length] * 2
        below += count
    return x, y


def draw_shares(panel, named, who):
    """The curves, and what is demanded; returns the top of the axis."""
    curves = [(name, *shares(run)) for run, name in named]
    top = min(MOST_STOPS, 1.1 * max([1.0, *(y[-1] for _, _, y in curves if y)]))
    for number, (name, x, y) in enumerate(curves):
        panel.plot(x, y, color=style.run_style(number)["color"], label=name)
    if who == "program":
        panel.plot([0, 50, 100], [0, 0, 1], color=style.GREY, linestyle="--", linewidth=1,
                   label="expected")
        panel.plot([90], [DEMANDED], marker="^", color="#CC0000", markersize=9, linestyle="none",
                   zorder=4, label="demanded")
    style.ticks(panel.xaxis, range(0, 101, 10), [f"{share}" for share in range(0, 101, 10)])
    panel.set(xlim=(0, 100), ylim=(0, top), xlabel="share of the events (%), by response time",
              ylabel="response time, in lengths of a stop")
    return top


def waits(run):
    """(time since the last stop began, longest response time) of each interval with events, both in
    lengths of a stop; nothing if the intervals are longer than half of a stop."""
    length, found, spans = stop_ns(run), [], []
    for trial in run.data["trials"]:
        begins = [action["at_ns"] for action in trial.get("actions", [])
                  if action["what"] == "stop" and not action["refused"]]
        for interval in trial["intervals"]:
            spans.append(interval["end_ns"] - interval["start_ns"])
            before = [at_ns for at_ns in begins if at_ns <= interval["end_ns"]]
            if before and interval["response"]["count"]:
                found.append(((interval["end_ns"] - before[-1]) / length,
                              interval["response"]["max_ns"] / length))
    middle = sorted(spans)[len(spans) // 2] if spans else length
    return sorted(found) if middle <= length / 2 else []


def draw_waits(panel, named, seen, top):
    panel.axvspan(0, 1, **style.SATURATED, linewidth=0, zorder=0, label="stopped")
    for number, (_, name) in enumerate(named):
        points = [(x, min(y, top)) for x, y in seen[name] if x <= 2]
        if points:
            panel.plot(*zip(*points), label=f"{name} waits", markersize=4, alpha=0.8,
                       clip_on=False, **(style.run_style(number) | {"linestyle": "none"}))
    style.ticks(panel.xaxis, (0, 0.5, 1, 1.5, 2), ("0", "0.5", "1", "1.5", "2"))
    panel.set(xlim=(0, 2), xlabel="time since the stop began, in lengths of a stop")
    if not any(seen.values()):
        panel.text(0.5, 0.5, "intervals too long", transform=panel.transAxes, ha="center",
                   va="center")


def name_runs(panels, named, who):
    style.legend(panels[1], [
        style.handle(f"{name}: p90 {100 * p90_per_stop(run):.0f} % of a stop{interval(run)},\n"
                     f"{verdict(run)}", **style.run_style(number))
        for number, (run, name) in enumerate(named)])
    style.legend_above(panels[0], [
        *([style.handle("expected", color=style.GREY, linestyle="--", linewidth=1),
           style.handle("demanded", marker="^", color="#CC0000", markersize=9, linestyle="none")]
          if who == "program" else [])])
    style.legend_above(panels[1], [
        style.handle("longest of an interval", marker="o", color=style.GREY, markersize=4,
                     linestyle="none"),
        style.patch("stopped", **style.SATURATED)], beside_another=True)


def interval(run):
    share = figures(run)["p90_per_stop"]
    if "low" not in share or "high" not in share:
        return ""
    low, high = ends(share)
    return f" ({100 * max(0, low):.0f} to {100 * high:.0f} %)"


def verdict(run):
    """Whether the stops show, where that is demanded; else whether callers wait."""
    holds = run.data["answer"].get("holds")
    if holds is not None:
        return "the stops show" if holds else "HIDES THE STOPS"
    return "callers wait" if p90_per_stop(run) >= DEMANDED else "callers do not wait"


if __name__ == "__main__":
    import command
    command.main({"stopped": draw})
