#!/usr/bin/env python3
"""Sessions: what does each further session cost a provider that is in several at once?

A line has the median call of a sink by the number of sessions that get its events; beside it stands
what each further one adds, with its 95 % interval.
"""
import re

import answers
import style
import units
from answers import ends, figures

KEY = re.compile(r"sessions_(\d+)_service_p50_ns")
SLOPE = "per_session_service_p50_ns"


def draw(runs, options):
    del options  # there is nothing to choose
    named = sorted(answers.answered(runs, "sessions"), key=lambda one: -slope_of(one[0]))
    figure, [[panel]] = style.sheet(1, 1, (5.6, 3.0), words(runs, named))
    for number, (run, name) in enumerate(named):
        draw_line(panel, run, name, style.run_style(number))
    finish(panel, named)
    yield answers.plot_name("sessions", runs), figure


def words(runs, named):
    alone = [f"{name} cannot {what}." for run, name in named
             for what in run.data["answer"]["cannot"]]
    return answers.words("What does each further session cost?", runs, named,
                         answers.where_asked(named), alone)


def slope_of(run):
    return figures(run)[SLOPE]["value"] if SLOPE in figures(run) else 0.0


def calls(run):
    """(sessions, figure of the median call), ascending."""
    found = [(int(match[1]), figure) for name, figure in figures(run).items()
             if (match := KEY.fullmatch(name))]
    return sorted(found, key=lambda one: one[0])


def draw_line(panel, run, name, drawn):
    found = calls(run)
    if not found:
        return
    panel.plot([count for count, _ in found], [max(1.0, figure["value"]) for _, figure in found],
               label=name,
               **drawn)
    for count, figure in found:
        panel.vlines(count, *ends(figure), color=drawn["color"], linewidth=1, alpha=0.6)


def added(run):
    """What a further session adds, as text: with its interval, and as a share of the first."""
    slope, share = figures(run).get(SLOPE), figures(run).get("per_session_share")
    if not slope or not share:
        return "\u2013"
    low, high = ends(slope)
    if low <= 0 <= high:
        return f"no difference that is told: {signed(low)} to {signed(high)}"
    return f"{signed(low)} to {signed(high)}, {100 * share['value']:.0f} % of the first"


def signed(value_ns):
    return ("\u2212" if value_ns < 0 else "") + units.format_ns(abs(value_ns))


def counted(named):
    """What the axis counts."""
    each = {has_provider_each(run) for run, _ in named}
    if each == {True}:
        return "sessions, with a provider each"
    return "sessions that get every event" if each == {False} else "sessions"


def has_provider_each(run):
    return any(trial["load"].get("own_sessions", False) for trial in run.data["trials"])


def finish(panel, named):
    counts = sorted({count for run, _ in named for count, _ in calls(run)}) or [1]
    values = [value for line in panel.lines for value in line.get_ydata()] or [1.0, 10.0]
    style.log_axis(panel.yaxis, max(1.0, min(values)) / 1.5, max(2.0, *values) * 1.5)
    panel.set(xscale="log", xlim=(counts[0] / 1.2, counts[-1] * 1.2),
              ylabel="median call (service, log.)", xlabel=counted(named))
    style.ticks(panel.xaxis, counts, [str(count) for count in counts])
    style.legend(panel, [style.handle(f"{name}: {added(run)}", **style.run_style(number))
                         for number, (run, name) in enumerate(named)])
    style.legend_above(panel, [style.handle("median, least to most of the trials",
                                            color=style.GREY, marker="o")],
                       beside_another=True)


if __name__ == "__main__":
    import command
    command.main({"sessions": draw})
