#!/usr/bin/env python3
"""Overhead: which share of the machine does logging take as the rate grows, and who uses it?"""
import style
import units
from caption import (Part, Skip, by_tail, caption, missing_steps, names, notes, percent_text,
                     rates_text)

TOTAL = "logging"
LEVEL_PERCENT = 5
# "More than 10K events/s costs about 5 %, 1M events/s swamp a machine": the rule of thumb of the
# guide to the TraceEvent library, for ETW.
RULE = ((10_000.0, 5.0), (1_000_000.0, 100.0))
MAX_COLUMNS = 4
# The roles that are stacked, from below, with their colour and hatching.
# The consumer is the harness's own, and would hide them.
ROLES = {"provider": ("#0072B2", ""), "daemons": ("#D55E00", ""), "kernel": ("#F0E442", "")}
BELOW_ZERO = "below 0: less than in the control trials\n(same load, null sink): noise, no gain"
BAR = 0.7  # width of a bar; the distance of two is 1
MOST_LEVEL = 5  # bars beside each other with level texts; above more the texts are upright
SEEN = 0.01  # share of the stacks' height from which on a bar below zero is seen
ROOM = 0.28  # for its explanation


def draw(runs, options):
    del options  # all rates are shown
    named = list(zip(runs, names(runs)))
    swept = in_order([(run, name) for run, name in named
                      if len({step["rate_hz"] for step in steps_of(run)}) > 1])
    if not swept:
        raise Skip("needs a run at two or more rates whose overhead was measured (scenario sweep)")
    across = min(MAX_COLUMNS, len(swept))
    down = 1 + -(-len(swept) // across)
    figure, axes = style.sheet(down, across, ({1: 6.0, 2: 4.0}.get(across, 3.0), 2.4),
                               words(swept, named), gap_inches=(0.7, 0.65))
    whole = style.whole_row(axes[0])
    draw_shares(whole, swept)
    panels = [panel for row in axes[1:] for panel in row]
    rates = sorted({step["rate_hz"] for run, _ in swept for step in steps_of(run)})
    for panel, (run, name) in zip(panels, swept):
        draw_roles(panel, run, name, steps_of(run), rates)
        low, high = span_of(run, name, len(rates))
        panel.set_ylim(low, high)
        if low < -ROOM / 2 * high:
            style.inside(panel, BELOW_ZERO)
    finish(whole, panels, swept)
    yield f"overhead-{runs[0].scenario}", figure


def steps_of(run):
    """The open-loop steps of a run with a measured overhead, slowest rate first."""
    steps = [s for s in run.data["summary"] if s["rate_hz"] and total_of(s) is not None]
    return sorted(steps, key=lambda step: step["rate_hz"])


def total_of(step):
    """The estimate of the share of the machine that logging takes; None where not measured."""
    return next((role.get("machine_percent") for role in step.get("overhead", [])
                 if role["role"] == TOTAL), None)


def in_order(swept):
    """The runs in the order of all plots, by their p99 at their lowest rate."""
    parts = by_tail([Part(run, name, steps_of(run)[0]) for run, name in swept])
    return [(part.run, part.name) for part in parts]


def words(swept, named):
    parts = [Part(run, name, step) for run, name in swept for step in steps_of(run)]
    made = caption("Overhead against rate", parts)
    made.title = f"Overhead of logging against event rate \u2013 {swept[0][0].scenario}"
    bare = [name for run, name in swept if not all(s.get("controls") for s in steps_of(run))]
    made.notes = [*(f"! {name}: without control trials; the harness's own use is included"
                    for name in bare), *left_out(swept, named), *missing_steps(swept),
                  *notes(parts, [])]
    return made


def left_out(swept, named):
    """Notes on runs and steps whose overhead was not measured, or at one rate only."""
    shown = {name for _, name in swept}
    for run, name in named:
        bare = [step["rate_hz"] for step in run.data["summary"]
                if step["rate_hz"] and total_of(step) is None]
        if name not in shown:
            yield f"! {name}: overhead not measured at two or more rates, so it is left out"
        elif bare:
            yield f"! {name}: overhead not measured at {rates_text(bare)}, so there is no point"


def draw_shares(panel, swept):
    """Every sink's share of the machine, hollow where it is saturated, in a ring where events were
    lost."""
    for number, (run, name) in enumerate(swept):
        points = [(step["rate_hz"], total_of(step)) for step in steps_of(run)]
        drawn = style.run_style(number)
        draw_estimates(panel, name, points, drawn)
        hollow = drawn | {"markerfacecolor": "white", "linestyle": "none"}
        for words, chosen, look in (
                ("saturated", lambda part: part.step["saturated"], hollow),
                ("lost", lambda part: part.lost_share, style.LOST)):
            marked = [(step["rate_hz"], total_of(step)["mean"]) for step in steps_of(run)
                      if chosen(Part(run, name, step))]
            if marked:
                panel.plot(*zip(*marked), label=f"{name} {words}", **look)
    panel.axhline(LEVEL_PERCENT, color=style.GREY, linestyle="--", linewidth=1, label="5 %")
    if on_windows(swept):
        panel.plot(*zip(*RULE), color=style.GREY, linestyle=":", marker="x", label="rule of thumb")


def on_windows(swept):
    """Whether the rule of thumb, which is about Windows, may apply."""
    return any("Windows" in run.data["machine"]["os"] for run, _ in swept)


def roles_of(steps):
    """The CPU time of logging by role, as estimates at each rate: {role: [(rate, {mean,
    half_width})]}."""
    found = {role: [(step["rate_hz"], one["cpu_ns_per_event"]) for step in steps
                    for one in step["overhead"]
                    if one["role"] == role and "cpu_ns_per_event" in one]
             for role in ROLES}
    return {role: points for role, points in found.items() if points}


def draw_roles(panel, run, name, steps, rates):
    """A bar for each rate: the roles stacked, those below zero downwards; above it the sum of the
    roles of logging."""
    narrow = len(rates) > MOST_LEVEL
    for step in steps:
        place, up, down = rates.index(step["rate_hz"]), 0.0, 0.0
        for role, points in roles_of([step]).items():
            mean = points[0][1]["mean"]
            color, hatch = ROLES[role]
            panel.bar(place, mean, BAR, bottom=up if mean > 0 else down, facecolor=color,
                      hatch=hatch, edgecolor="#333333", linewidth=0.4, label=role)
            up, down = up + max(mean, 0), down + min(mean, 0)
        panel.annotate((", " if narrow else "\n").join(above_bar(run, name, step)), (place, up),
                       xytext=(0, 2), ha="center", textcoords="offset points", va="bottom",
                       size=7.5, rotation=90 if narrow else 0)
        if step["saturated"]:
            panel.axvspan(place - 0.5, place + 0.5, **style.SATURATED, linewidth=0, zorder=0,
                          label="saturated")
    panel.axhline(0, color="black", linewidth=0.8)
    style.title(panel, name)
    panel.set_xlim(-0.6, len(rates) - 0.4)
    panel.grid(False, axis="x")
    style.ticks(panel.xaxis, range(len(rates)), [units.format_rate(rate) for rate in rates])


def above_bar(run, name, step):
    """The time of logging per event, and the events lost."""
    total = next((role["cpu_ns_per_event"]["mean"] for role in step["overhead"]
                  if role["role"] == TOTAL and "cpu_ns_per_event" in role), None)
    texts = [] if total is None else [("\u2212" if total < 0 else "") + units.format_ns(abs(total))]
    part = Part(run, name, step)
    if part.lost_share:
        texts.insert(0, f"lost {percent_text(part.lost_share)}")
    return texts


def draw_estimates(panel, label, points, line_style):
    """A line through the means, and each mean's 95 % interval as a bar."""
    rates = [rate for rate, _ in points]
    means = [estimate["mean"] for _, estimate in points]
    widths = [estimate.get("half_width", 0) for _, estimate in points]
    panel.plot(rates, means, label=label, **line_style)
    panel.vlines(rates, [mean - width for mean, width in zip(means, widths)],
                 [mean + width for mean, width in zip(means, widths)], color=line_style["color"],
                 linewidth=1, alpha=0.6)


def span_of(run, name, rates):
    """The range of a run's stacks, with room for the texts above and below them."""
    stacks = [[points[0][1]["mean"] for points in roles_of([step]).values()]
              for step in steps_of(run)]
    up = max(1.0, *(sum(mean for mean in means if mean > 0) for means in stacks))
    down = min(sum(mean for mean in means if mean < 0) for means in stacks)
    height = up - down
    longest = max(len(", ".join(above_bar(run, name, step))) for step in steps_of(run))
    room = 0.2 if rates <= MOST_LEVEL else 0.12 + 0.032 * longest
    return down - (ROOM * height if down < -SEEN * height else 0), up + room * height


def finish(whole, panels, swept):
    steps = [step for run, _ in swept for step in steps_of(run)]
    rates = sorted({step["rate_hz"] for step in steps})
    edge = (rates[1] / rates[0]) ** 0.5
    style.log_axis(whole.xaxis, rates[0] / edge, rates[-1] * edge, units.format_rate)
    shares = [total_of(step)["mean"] for step in steps]
    low, high = min(0, *shares), max(2 * LEVEL_PERCENT, 1.1 * max(shares))
    room = 0.2 * (high - low) if low else 0  # for the explanation
    whole.set(ylim=(low - room, high), ylabel="share of the machine (%)",
              xlabel="target rate (events/s)")
    if min(shares) < 0:
        whole.axhline(0, color="black", linewidth=0.8)
        style.inside(whole, BELOW_ZERO)
    name_lines(whole, swept)
    across = min(len(swept), MAX_COLUMNS)
    for panel in panels[len(swept):]:
        panel.set_visible(False)
    for number, panel in enumerate(panels[:len(swept)]):
        panel.set_xlabel("target rate (events/s)")
        style.linear_durations(panel.yaxis)
        if number % across == 0:
            panel.set_ylabel("CPU time per event")
    drawn = {str(bars.get_label()) for panel in panels[:len(swept)] for bars in panel.containers}
    last_of_rows = [panel for panel in panels[across - 1::across] if panel.get_visible()]
    style.legend(style.below_legend(whole, last_of_rows), [
        *(style.patch(role, facecolor=color, hatch=hatch, edgecolor="#333333", linewidth=0.4)
          for role, (color, hatch) in reversed(ROLES.items()) if role in drawn),
        style.handle("number: their sum", linestyle="none"),
        *([style.patch("saturated", **style.SATURATED)]
          if any(step["saturated"] for step in steps) else [])])


def has_intervals(swept):
    """Whether there were trials enough for an interval."""
    return any(total_of(step).get("half_width") for run, _ in swept for step in steps_of(run))


def name_lines(whole, swept):
    """The names of the lines in the upper panel, and what its marks mean."""
    ends = [(steps_of(run)[-1]["rate_hz"], total_of(steps_of(run)[-1])["mean"], name,
             style.run_style(number)) for number, (run, name) in enumerate(swept)]
    beside = style.label_ends(whole, ends)
    if not beside:
        style.legend(whole, [style.handle(name, **drawn) for _, _, name, drawn in ends])
    marked = {str(line.get_label()).rpartition(" ")[2] for line in whole.lines}
    style.legend_above(whole, [
        style.handle("logging" + (", 95 % interval" if has_intervals(swept) else ""),
                     color=style.GREY, marker="o"),
        *([style.handle("saturated", color=style.GREY, marker="o", markerfacecolor="white",
                        linestyle="none")] if "saturated" in marked else []),
        *([style.handle("events lost", **style.LOST)] if "lost" in marked else []),
        style.handle("5 % of the machine", color=style.GREY, linestyle="--", linewidth=1),
        *([style.handle("rule of thumb for ETW", color=style.GREY, linestyle=":", marker="x")]
          if on_windows(swept) else [])], beside_another=not beside)


if __name__ == "__main__":
    import command
    command.main({"overhead": draw})
