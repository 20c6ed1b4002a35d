#!/usr/bin/env python3
"""Overhead: which share of the machine does logging take as the rate grows, and who uses it?"""
import style
import units
from caption import Part, Skip, caption, names, notes

TOTAL = "logging"
LEVEL_PERCENT = 5
# "More than 10K events/s costs about 5 %, 1M events/s swamp a machine": the rule of thumb of the
# guide to the TraceEvent library, for ETW.
RULE = ((10_000.0, 5.0), (1_000_000.0, 100.0))
MAX_COLUMNS = 4
# The roles that are drawn, with the number of each role's style.
ROLES = {"provider": 0, "daemons": 4, "consumer": 1, "kernel": 3, TOTAL: 2}
# Differences from the control trials may be negative, so the time axis is linear up to this value.
LINEAR_NS = 100


def draw(runs, options):
    swept = [(run, name) for run, name in zip(runs, names(runs)) if len(steps_of(run)) > 1]
    if not swept:
        raise Skip("needs a run at two or more rates whose overhead was measured (scenario sweep)")
    across = min(MAX_COLUMNS, len(swept))
    down = 1 + -(-len(swept) // across)
    figure, axes = style.sheet(down, across, ({1: 6.0, 2: 4.0}.get(across, 3.0), 2.4), words(swept),
                               sharex=True, sharey="row", gap_inches=(0.14, 0.65))
    whole = over_all_columns(figure, axes[0])
    draw_shares(whole, swept)
    panels = [panel for row in axes[1:] for panel in row]
    for panel, (run, name) in zip(panels, swept):
        draw_roles(panel, name, steps_of(run))
    finish(whole, panels, swept)
    yield f"overhead-{runs[0].scenario}", figure


def over_all_columns(figure, row):
    """Widens the row's first axes to the whole row and returns it."""
    left, right = row[0].get_position(), row[-1].get_position()
    for panel in row[1:]:
        panel.set_visible(False)
    row[0].set_position([left.x0, left.y0, right.x1 - left.x0, left.height])
    return row[0]


def steps_of(run):
    """The open-loop steps of a run with a measured overhead, slowest rate first."""
    steps = [s for s in run.data["summary"] if s["rate_hz"] and total_of(s) is not None]
    return sorted(steps, key=lambda step: step["rate_hz"])


def total_of(step):
    """The estimate of the share of the machine that logging takes; None where not measured."""
    return next((role.get("machine_percent") for role in step.get("overhead", [])
                 if role["role"] == TOTAL), None)


def words(swept):
    parts = [Part(run, name, step) for run, name in swept for step in steps_of(run)]
    made = caption("Overhead against rate", parts)
    made.title = f"Overhead of logging against event rate \u2013 {swept[0][0].scenario}"
    bare = [name for run, name in swept if not all(s.get("controls") for s in steps_of(run))]
    made.notes = [*(f"! {name}: without control trials; the harness's own use is included"
                    for name in bare), *notes(parts, [])]
    return made


def draw_shares(panel, swept):
    for number, (run, name) in enumerate(swept):
        points = [(step["rate_hz"], total_of(step)) for step in steps_of(run)]
        draw_estimates(panel, name, points, style.run_style(number))
    panel.axhline(LEVEL_PERCENT, color=style.GREY, linestyle="--", linewidth=1, label="5 %")
    panel.plot(*zip(*RULE), color=style.GREY, linestyle=":", marker="x", label="rule of thumb")


def roles_of(steps):
    """The CPU time of logging by role, as estimates at each rate: {role: [(rate, {mean,
    half_width})]}."""
    found = {role: [(step["rate_hz"], one["cpu_ns_per_event"]) for step in steps
                    for one in step["overhead"]
                    if one["role"] == role and "cpu_ns_per_event" in one]
             for role in ROLES}
    return {role: points for role, points in found.items() if points}


def draw_roles(panel, name, steps):
    for role, points in roles_of(steps).items():
        draw_estimates(panel, role, points, style.run_style(ROLES[role]))
    panel.axhline(0, color="black", linewidth=0.6)
    panel.set_title(name, size=9, loc="left", pad=3)


def draw_estimates(panel, label, points, line_style):
    """A line through the means, and each mean's 95 % interval as a bar."""
    rates = [rate for rate, _ in points]
    means = [estimate["mean"] for _, estimate in points]
    widths = [estimate.get("half_width", 0) for _, estimate in points]
    panel.plot(rates, means, label=label, **line_style)
    panel.vlines(rates, [mean - width for mean, width in zip(means, widths)],
                 [mean + width for mean, width in zip(means, widths)], color=line_style["color"],
                 linewidth=1)


def span_of(swept):
    """The range of all roles' times and their intervals, with a margin."""
    ends = [estimate["mean"] + sign * estimate.get("half_width", 0) for run, _ in swept
            for points in roles_of(steps_of(run)).values() for _, estimate in points
            for sign in (-1, 1)] or [0]
    return min(1.6 * min(ends), -0.2 * LINEAR_NS), max(1.6 * max(ends), LINEAR_NS)


def finish(whole, panels, swept):
    steps = [step for run, _ in swept for step in steps_of(run)]
    rates = sorted({step["rate_hz"] for step in steps})
    edge = (rates[1] / rates[0]) ** 0.5
    style.log_axis(whole.xaxis, rates[0] / edge, rates[-1] * edge, units.format_rate)
    top = max(2 * LEVEL_PERCENT, *(1.1 * total_of(step)["mean"] for step in steps))
    whole.set(ylim=(min(0, *(total_of(step)["mean"] for step in steps)), top),
              ylabel="share of the machine (%)")
    whole.tick_params(labelbottom=True)
    whole.set_xlabel("target rate (events/s)")
    style.legend(whole, [
        *(style.handle(name, **style.run_style(k)) for k, (_, name) in enumerate(swept)),
        style.handle("5 % of the machine", color=style.GREY, linestyle="--", linewidth=1),
        style.handle("rule of thumb for ETW", color=style.GREY, linestyle=":", marker="x")])
    for panel in panels[len(swept):]:
        panel.set_visible(False)
    for panel in panels[:len(swept)]:
        panel.set(xlabel="target rate (events/s)")
        panel.tick_params(labelbottom=True)
    for panel in panels[::min(len(swept), MAX_COLUMNS)]:
        panel.set_ylabel("CPU time per event (logarithmic)")
        style.signed_log_durations(panel.yaxis, LINEAR_NS, *span_of(swept))
    style.legend(panels[min(len(swept), MAX_COLUMNS) - 1], [
        style.handle(role, **style.run_style(line_style)) for role, line_style in ROLES.items()
        if any(role in roles_of(steps_of(run)) for run, _ in swept)])


if __name__ == "__main__":
    import command
    command.main({"overhead": draw})
