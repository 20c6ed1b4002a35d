#!/usr/bin/env python3
"""Delivery latency: how long after its call could each sink's event be read by a live consumer?"""
import style
import units
from caption import MOST_NAMES, Skip, caption, choose, listed, plot_name
from ranking import ROW_INCHES, draw_rows

SHOWN = (("p50", "p50_ns"), ("p99", "p99_ns"), ("p99.9", "p99_9_ns"), ("max", "max_ns"))


def draw(runs, options):
    chosen = choose(runs, options.rate_hz)
    parts = [part for part in chosen if part.step.get("delivery", {"count": 0})["count"]]
    if not parts:
        raise Skip("no run's events were read while the load ran (--consume live)")
    parts.sort(key=lambda part: part.step["delivery"]["p99_ns"])
    figure, [[panel]] = style.sheet(1, 1, (5.6, ROW_INCHES * (len(parts) + 0.6)), caption(
        "How long until an event can be read?", parts, among=runs, more=[
            "From the call's start until the consumer saw the event; ordered by p99.",
            *polls(parts), *not_live(chosen, parts)]))
    draw_rows(panel, parts, "delivery", SHOWN)
    panel.set_xlabel("delivery latency (logarithmic)")
    yield plot_name("delivery", runs, options), figure


def polls(parts):
    """How much of the latencies is the consumer's own pause between two looks."""
    longest = max(trial["consumer"]["poll_interval_s"] for part in parts for trial in part.trials)
    if longest:
        yield (f"Part of each: the consumer looks every {units.format_ns(longest * 1e9)} when there "
               "was nothing to read.")


def not_live(chosen, parts):
    absent = [part.name for part in chosen if part not in parts]
    if absent:
        yield f"Not read while the load ran: {listed(absent, MOST_NAMES)}."


if __name__ == "__main__":
    import command
    command.main({"delivery": draw})
