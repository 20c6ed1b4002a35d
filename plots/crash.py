#!/usr/bin/env python3
"""Crash: how many accepted events are gone when the program, the daemon or both are killed?"""
import answers
import style
import units
from answers import ends, figures

# What was killed, by the beginning of its figures' names.
VICTIMS = {"program": "the program is killed", "daemon": "its daemon is killed",
           "both": "both are killed", "stopped": "the program is stopped,\nand killed later"}
ROW_INCHES = 0.52  # a bar, and a line of facts below it
BAR = 0.4          # height of a bar, of a row
GONE = {"facecolor": "#E69F00"}
NOTHING = {"marker": "o", "color": "#009E73", "linestyle": "none", "markersize": 8}
RANGE = {"color": "black", "linewidth": 1.3}


def draw(runs, options):
    del options  # there is nothing to choose
    named = sorted(answers.answered(runs, "crash"), key=lambda one: losses(one[0]))
    victims = [victim for victim in VICTIMS
               if any(gone(run, victim) for run, _ in named)] or ["program"]
    width = {1: 5.0, 2: 3.6}.get(len(victims), 2.5)
    figure, [panels] = style.sheet(
        1, len(victims), (width, ROW_INCHES * (len(named) + 0.3)), words(runs, named),
        gap_inches=(0.14, 0.3), sharey=True, sharex=True)
    most = max([1.0, *(ends(gone(run, victim))[1] for run, _ in named for victim in victims
                       if gone(run, victim))])
    for panel in panels[1:]:
        panel.tick_params(left=False)
    for panel, victim in zip(panels, victims):
        panel.set_title(f"when {VICTIMS[victim]}", size=9, loc="left", pad=4)
        for row, (run, name) in enumerate(named):
            draw_row(panel, row, run, name, victim)
        finish(panel, most, len(named))
    style.ticks(panels[0].yaxis, range(len(named)), [name for _, name in named])
    # Other panels have no room for a heading above their title.
    costs = [figures(run).get("response_p99_ns") for run, _ in named]
    style.table(panels[-1], [("p99 of a call", "black")],
                [[units.format_ns(cost["value"]) if cost else "", ""] for cost in costs],
                range(len(named)), first_inches=0.3, column_inches=0.9)
    style.legend_below(panels[0], [
        style.handle("nothing is gone", **NOTHING),
        style.patch("events that are gone: median of the trials", **GONE),
        style.handle("least and most of the trials", **RANGE)])
    yield answers.plot_name("crash", runs), figure


def words(runs, named):
    return answers.words(
        "Which accepted events are gone after a kill?", runs, named, answers.where_asked(named), [
            "Those that lose the least are on top. The time is from the youngest event that was "
            "left to the last one accepted. Afterwards: the share of what was accepted after the "
            "kill that was gone."])


def gone(run, victim):
    return figures(run).get(f"{victim}_gone_events")


def losses(run):
    """Sorts the runs: what a kill takes along, victim by victim; unknown last."""
    return [ends(gone(run, victim))[1] if gone(run, victim) else float("inf")
            for victim in VICTIMS]


def draw_row(panel, row, run, name, victim):
    figure = gone(run, victim)
    if figure:
        low, high = ends(figure)
        if high:
            panel.barh(row, figure["value"], BAR, label=name, **GONE)
            panel.plot([low, high], [row, row], label=f"{name} range", **RANGE, marker="|",
                       clip_on=False)
        else:
            panel.plot([0], [row], label=f"{name} nothing", clip_on=False, zorder=3, **NOTHING)
    panel.annotate(fact(run, victim), (0, row + BAR / 2 + 0.04), size=7.5, xytext=(4, 0), va="top",
                   xycoords=("axes fraction", "data"), textcoords="offset points",
                   style="normal" if figure else "italic")


def fact(run, victim):
    """The line below a bar: how many events, how old the youngest that was left, and what became of
    those accepted after the kill."""
    figure = gone(run, victim)
    if not figure:
        action = "stop program: " if victim == "stopped" else f"kill {victim}: "
        reasons = [text.removeprefix(action) for text in run.data["answer"]["cannot"]
                   if text.startswith(action)]
        return reasons[0][:44] if reasons else "unknown: not read back"
    low, high = ends(figure)
    text = "nothing"
    if high:
        number = f"{high:.0f}" if low == high else f"{low:.0f} to {high:.0f}"
        oldest = ends(figures(run)[f"{victim}_gone_ns"])[1]
        text = number + (f", up to {units.format_ns(oldest)}" if oldest else "")
    after = figures(run).get(f"{victim}_gone_after_share")
    if after and after["value"]:
        text += f"; afterwards {100 * after['value']:.3g} %"
    return text


def finish(panel, most, rows):
    panel.set_xscale("symlog", linthresh=1, linscale=0.6)
    places = [0, *(10**power for power in range(20) if 10**power <= 1.5 * most)]
    style.ticks(panel.xaxis, places, [units.format_rate(place) if place else "0"
                                      for place in places])
    panel.set(xlim=(0, 1.5 * most), ylim=(rows - 0.35, -0.5), xlabel="events that are gone")
    panel.grid(False, axis="y")


if __name__ == "__main__":
    import command
    command.main({"crash": draw})
