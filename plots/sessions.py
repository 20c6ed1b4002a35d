#!/usr/bin/env python3
"""Sessions: what does each further session cost a provider that is in several at once?

A line has the median call of a sink by the number of sessions that get its events; beside it stands
what each further one adds, with its 95 % interval.
"""
import re

import answers
import counts
import style
from answers import figures

KEY = re.compile(r"sessions_(\d+)_service_p50_ns")
SLOPE = "per_session_service_p50_ns"


def draw(runs, options):
    del options  # there is nothing to choose
    named, figure, panel = counts.sheet(runs, "sessions", "What does each further session cost?",
                                        SLOPE)
    counts.draw_lines(panel, named, KEY, least=1.0)
    finish(panel, named)
    yield answers.plot_name("sessions", runs), figure


def added(run):
    """What a further session adds: with its interval, and as a share of the first."""
    share = figures(run).get("per_session_share")
    return counts.added(run, SLOPE,
                        f", {100 * share['value']:.0f} % of the first" if share else "")


def counted(named):
    """What the axis counts."""
    each = {has_provider_each(run) for run, _ in named}
    if each == {True}:
        return "sessions, with a provider each"
    return "sessions that get every event" if each == {False} else "sessions"


def has_provider_each(run):
    return any(trial["load"].get("own_sessions", False) for trial in run.data["trials"])


def finish(panel, named):
    tried = counts.all_counts(named, KEY)
    values = [value for line in panel.lines for value in line.get_ydata()] or [1.0, 10.0]
    style.log_axis(panel.yaxis, max(1.0, min(values)) / 1.5, max(2.0, *values) * 1.5)
    panel.set(xscale="log", xlim=(tried[0] / 1.2, tried[-1] * 1.2),
              ylabel="median call (service, log.)", xlabel=counted(named))
    style.ticks(panel.xaxis, tried, [str(count) for count in tried])
    counts.legends(panel, [f"{name}: {added(run)}" for run, name in named],
                   "median, least to most of the trials")


if __name__ == "__main__":
    import command
    command.main({"sessions": draw})
