#!/usr/bin/env python3
"""Causes: what did each sink's slow calls spend their time on, and which threads caused it?"""
import style
import units
from caption import (BY_MACHINE, MOST_NAMES, SATURATED, Skip, caption, choose, left_out, listed,
                     loss_marks, names, notes, plot_name)

# How the causes are drawn, in the order of a bar's segments: the load itself, what the kernel did
# for it, the kernel on the load's processor, other threads, blocked, unknown. A grey print shows
# the hatching.
FACES = {
    "queued": ("queued behind slow calls", "#ffffff", "////"),
    "running": ("on a processor: program", "#0072B2", ""),
    "syscall": ("on a processor: system call", "#56B4E9", ""),
    "page_fault": ("page fault", "#56B4E9", "xx"),
    "page_refill": ("memory: page list refill", "#009E73", ""),
    "new_page": ("memory: new page", "#009E73", "xx"),
    "reclaim": ("memory: reclaim or compaction", "#009E73", "////"),
    "page_cache": ("page cache: new page", "#8DB600", ""),
    "fs_allocation": ("file system: allocation", "#8DB600", "xx"),
    "fs_dirty": ("file system: page or inode dirtied", "#8DB600", "////"),
    "fs_journal": ("file system: journal", "#8DB600", "\\\\\\"),
    "fs_writeback": ("file system: writeback", "#8DB600", ".."),
    "block_layer": ("block layer", "#E69F00", ""),
    "socket": ("socket: queue full", "#E69F00", ".."),
    "lock": ("lock: contended, in the kernel", "#E69F00", "xx"),
    "wake_up": ("waking another thread", "#E69F00", "////"),
    "io_uring": ("io_uring", "#E69F00", "\\\\\\"),
    "interrupt": ("interrupt", "#F0E442", ""),
    "softirq": ("softirq", "#F0E442", "\\\\\\"),
    "waiting": ("waiting for the processor", "#D55E00", ""),
    "blocked_io": ("blocked: storage", "#B5538B", ""),
    "blocked_lock": ("blocked: lock", "#B5538B", "xx"),
    "blocked_socket": ("blocked: socket", "#B5538B", ".."),
    "blocked_sleep": ("blocked: sleep", "#B5538B", "\\\\\\"),
    "blocked_other": ("blocked: other", "#B5538B", "--"),
    "stopped": ("stopped or suspended", "#000000", ""),
    "machine": ("machine noise", "#808080", ""),
    "kernel_gap": ("machine noise, in the kernel", "#808080", "////"),
    "program_buffer": ("in the program's buffer", "#0072B2", "--"),
    "session_buffer": ("in the session's buffer", "#009E73", "--"),
    "daemon": ("a daemon, on the processor", "#E69F00", "--"),
    "daemon_waiting": ("a daemon waited for the processor", "#D55E00", "--"),
    "daemon_storage": ("a daemon, blocked: storage", "#B5538B", "++"),
    "daemon_blocked": ("a daemon, blocked: other", "#B5538B", "oo"),
    "reader": ("the reader, on the processor", "#8DB600", "--"),
    "reader_waiting": ("the reader waited for the processor", "#D55E00", ".."),
    "reader_storage": ("the reader, blocked: storage", "#B5538B", "**"),
    "reader_asleep": ("the reader slept", "#F0E442", "--"),
    "unknown": ("unknown: kernel or hypervisor", "#b8b8b8", "xx"),
    "untraced": ("not traced", "#ffffff", "xx"),
}
MEASURES = ("response", "service", "delivery")
MAX_CULPRITS = 3
MOST_IN_FACT = 74  # characters, as wide as a panel
ROW_INCHES = 0.62  # a bar, and a line of facts below it
BAR = 0.46         # height of a bar, of a row


def draw(runs, options):
    explained = [run for run in runs if traced_of(run) and run.data["summary"]]
    shown = [part for part in choose(explained, options.rate_hz)
             if any(tails_of(part, measure) for measure in MEASURES)] if explained else []
    if not shown:
        raise Skip("needs a run whose slow calls were explained (run with --explain)")
    measures = [measure for measure in MEASURES if any(tails_of(part, measure) for part in shown)]
    figure, axes = style.sheet(len(measures), 2, (4.2, ROW_INCHES * (len(shown) + 0.3)),
                               words(shown, runs), gap_inches=(0.25, 0.75), sharey=True)
    drawn = set()
    for panels, measure in zip(axes, measures):
        drawn |= draw_bars(panels, measure, shown)
    order = [cause for cause in FACES if cause in drawn] + sorted(drawn - set(FACES))
    style.legend(axes[0][1], [style.patch(drawn_as(cause)[0], **face(cause)) for cause in order])
    yield plot_name("causes", runs, options), figure


def traced_of(run, step=None):
    """The traced trials that have an explanation, of one step or of all."""
    return [trial for trial in run.data.get("traced", [])
            if "explanation" in trial and step in (None, trial["step"])]


def tails_of(part, measure):
    """The explained tails of this measure, of the same trials as in 'tailgate explain'."""
    return [tail for trial in traced_of(part.run, part.step["step"])
            for tail in trial["explanation"]["tails"]
            if tail["measure"] == measure and tail["calls"]]


def words(shown, runs):
    made = caption("What the slow calls waited for", shown)
    explained = [run for run in runs if traced_of(run)]
    absent = [name for run, name in zip(runs, names(runs)) if not traced_of(run)]
    traced = sorted({len(traced_of(part.run, part.step["step"])) for part in shown})
    made.subtitle = f"{'/'.join(map(str, traced))} traced beside {made.subtitle}"
    made.notes = [*([f"! {listed(absent, MOST_NAMES)}: not explained, so left out"]
                    if absent else []),
                  *(f"! {part.name}: the trace has holes, so part of the time is 'not traced'"
                    for part in shown if not complete(part)),
                  *ended_early(shown), *left_out(explained, shown), *notes(shown, [])]
    return made


def ended_early(shown):
    """Notes on traced trials that did not complete: what they recorded until then is shown."""
    for part in shown:
        traced = traced_of(part.run, part.step["step"])
        early = sum(trial["outcome"] != "completed" for trial in traced)
        if early:
            yield f"! {part.name}: {early} of {len(traced)} traced trials did not complete"


def complete(part):
    return all(trial["explanation"]["trace"]["complete"]
               for trial in traced_of(part.run, part.step["step"]))


def drawn_as(cause):
    """Name, colour and hatching of a cause; an unknown one, of a later version, stands out."""
    return FACES.get(cause, (cause, "#009E73", "oo"))


def face(cause):
    _, color, hatch = drawn_as(cause)
    return {"facecolor": color, "hatch": hatch, "edgecolor": "#333333", "linewidth": 0.5}


def excess_by_cause(tails):
    total = {}
    for tail in tails:
        for cause in tail["causes"]:
            total[cause["cause"]] = total.get(cause["cause"], 0) + cause["excess_ns"]
    return total


def draw_bars(panels, measure, shown):
    """Draws two bars per run: the shares of the causes, and their time per slow call. Returns the
    causes drawn."""
    drawn, longest = set(), 0.0
    shares, times = panels
    for row, part in enumerate(shown):
        tails = tails_of(part, measure)
        excess = excess_by_cause(tails)
        total, calls = sum(excess.values()), sum(tail["calls"] for tail in tails)
        left = 0.0
        for cause in sorted(excess, key=order_of):
            share = excess[cause] / total if total else 0
            if share > 0:
                each = total / calls * share / 1e6
                shares.barh(row, 100 * share, BAR, left=100 * left, label=cause, **face(cause))
                times.barh(row, each, BAR, left=total / calls * left / 1e6, label=cause,
                           **face(cause))
                drawn.add(cause)
            left += share
        longest = max(longest, total / calls / 1e6 if calls else 0.0)
        for panel, text in zip(panels, facts(tails, total)):
            panel.annotate(text, (0, row + BAR / 2 + 0.06), size=7.5, xytext=(2, 0), va="top",
                           xycoords=("axes fraction", "data"), textcoords="offset points")
    style.ticks(shares.yaxis, range(len(shown)), [row_name(part) for part in shown])
    shares.set(xlim=(0, 100), ylim=(len(shown) - 0.35, -0.45),
               xlabel=f"share of the excess {measure} time (%)")
    times.set(xlim=(0, 1.05 * longest or 1), xlabel=f"excess {measure} time of a slow call (ms)")
    for panel in panels:
        panel.grid(False, axis="y")
    return drawn


def row_name(part):
    traced = [trial for trial in part.run.data["traced"] if trial["step"] == part.step["step"]]
    marks = loss_marks(traced)
    missed = [trial for trial in traced if trial["rate_missed"]]
    by_machine = all(trial.get("missed_by_machine") for trial in missed)
    saturation = [BY_MACHINE if by_machine else SATURATED] if missed else []
    return "\n".join([part.name, *saturation, *marks])


def order_of(cause):
    return (list(FACES).index(cause) if cause in FACES else len(FACES), cause)


def facts(tails, total_ns):
    """The lines below the two bars: which calls these are; their excess time, and the threads that
    caused most of it."""
    calls = sum(tail["calls"] for tail in tails)
    if not calls:
        return "not explained", ""
    # As 'tailgate explain' says it (harness/report/merged_tails.h), with as many digits.
    lowest = units.format_ns(min(tail["threshold_ns"] for tail in tails), digits=4)
    each = f"{units.format_ns(total_ns / calls)} each"
    blame = {}
    for tail in tails:
        for one in tail["culprits"]:
            if one["name"]:
                blame[one["name"]] = blame.get(one["name"], 0) + one["time_ns"]
    worst = sorted(blame, key=lambda name: (-blame[name], name))[:MAX_CULPRITS]
    for number, name in enumerate(worst):
        more = f"{', ' if number else '; of all: '}{name[:15]} {units.format_ns(blame[name])}"
        if len(each) + len(more) > MOST_IN_FACT:
            break
        each += more
    return f"{calls} calls of {lowest} or more", each


if __name__ == "__main__":
    import command
    command.main({"causes": draw})
