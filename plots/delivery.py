#!/usr/bin/env python3
"""Delivery latency: how long after its call could each sink's event be read by a live consumer?"""
import style
import units
from caption import MOST_NAMES, Skip, caption, choose, listed, order_note, plot_name
from ranking import ROW_INCHES, draw_rows

SHOWN = (("p50", "p50_ns"), ("p99", "p99_ns"), ("p99.9", "p99_9_ns"), ("max", "max_ns"))


def draw(runs, options):
    chosen = choose(runs, options.rate_hz)
    parts = [part for part in chosen
             if part.has_times and part.step.get("delivery", {"count": 0})["count"]]
    if not parts:
        raise Skip("no run's events were read while the load ran (--consume live)")
    absent = [part for part in chosen if part not in parts]
    among = [run for run in runs if not any(part.run is run for part in absent)]
    parts.sort(key=lambda part: (bool(part.at), -part.step["rate_hz"],
                                 part.step["delivery"]["p99_ns"]))
    figure, [[panel]] = style.sheet(1, 1, (5.6, ROW_INCHES * (len(parts) + 0.6)), caption(
        "How long until an event can be read?", parts, among=among, more=[
            "From the call's start until the consumer saw the event.", order_note(parts),
            *polls(parts), *not_live(absent)]))
    draw_rows(panel, parts, "delivery", SHOWN)
    panel.set_xlabel("delivery latency (logarithmic)")
    yield plot_name("delivery", runs, options), figure


def polls(parts):
    """How much of the latencies is the consumer's own pause between two looks."""
    longest = max(trial["consumer"]["poll_interval_s"] for part in parts for trial in part.trials)
    if longest:
        yield (f"The consumer looked every {units.format_ns(longest * 1e9)} while there was "
               "nothing to read: that wait is part of each figure.")


def not_live(absent):
    if absent:
        yield ("Not read while the load ran: "
               f"{listed((part.name for part in absent), MOST_NAMES)}.")


if __name__ == "__main__":
    import command
    command.main({"delivery": draw})
