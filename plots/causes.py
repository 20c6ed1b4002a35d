#!/usr/bin/env python3
"""Causes: what did each sink's slow calls spend their time on, and which threads caused it?"""
import style
import units
from caption import Part, Skip, caption, names, notes

# How the causes are drawn, in the order of a bar's segments: the load itself, the kernel on the
# load's processor, other threads, blocked, unknown. Hatching distinguishes what a grey print
# cannot.
FACES = {
    "queued": ("queued behind slow calls", "#ffffff", "////"),
    "running": ("on a processor: program", "#0072B2", ""),
    "syscall": ("on a processor: system call", "#56B4E9", ""),
    "page_fault": ("page fault", "#56B4E9", "xx"),
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
    "unknown": ("unknown: kernel or hypervisor", "#b8b8b8", "xx"),
    "untraced": ("not traced", "#ffffff", "xx"),
}
MEASURES = ("response", "service")
MAX_CULPRITS = 3


def draw(runs, options):
    shown = [(run, name) for run, name in zip(runs, names(runs))
             if any(tails_of(run, measure) for measure in MEASURES)]
    if not shown:
        raise Skip("needs a run whose slow calls were explained (run with --explain)")
    figure, axes = style.sheet(len(MEASURES), 1, (5.2, 0.3 + 0.55 * len(shown)), words(shown),
                               gap_inches=(0.3, 0.62))
    drawn = set()
    for [panel], measure in zip(axes, MEASURES):
        drawn |= draw_bars(panel, measure, shown)
    order = [cause for cause in FACES if cause in drawn] + sorted(drawn - set(FACES))
    # To the right of the text beside the bars.
    axes[0][0].legend(handles=[style.patch(drawn_as(cause)[0], **face(cause)) for cause in order],
                      loc="upper left", bbox_to_anchor=(1.82, 1.02), borderaxespad=0)
    yield f"causes-{runs[0].scenario}", figure


def tails_of(run, measure):
    """The explained tails of this measure in the completed traced trials."""
    return [tail for trial in run.data.get("traced", []) if trial["outcome"] == "completed"
            for tail in trial.get("explanation", {}).get("tails", [])
            if tail["measure"] == measure and tail["calls"]]


def words(shown):
    parts = [Part(run, name, run.data["summary"][0]) for run, name in shown
             if run.data["summary"]]
    made = caption("What the slow calls waited for", parts)
    holes = [name for run, name in shown if not complete(run)]
    traced = sorted({len(run.data["traced"]) for run, _ in shown})
    made.subtitle = f"{'/'.join(map(str, traced))} traced beside {made.subtitle}"
    made.notes = [*(f"! {name}: the trace has holes, so part of the time is 'not traced'"
                    for name in holes), *notes(parts, [])]
    return made


def complete(run):
    return all(trial["explanation"]["trace"]["complete"] for trial in run.data["traced"]
               if "explanation" in trial)


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


def draw_bars(panel, measure, shown):
    """Draws one bar per run; returns the causes drawn."""
    drawn = set()
    for row, (run, _) in enumerate(shown):
        tails = tails_of(run, measure)
        excess = excess_by_cause(tails)
        total, left = sum(excess.values()), 0.0
        for cause in sorted(excess, key=order_of):
            share = 100 * excess[cause] / total if total else 0
            if share > 0:
                panel.barh(row, share, left=left, height=0.62, label=cause, **face(cause))
                drawn.add(cause)
            left += share
        panel.annotate(facts(tails, total), (1, row), xycoords=("axes fraction", "data"),
                       xytext=(9, 0), textcoords="offset points", va="center", size=8)
    style.ticks(panel.yaxis, range(len(shown)), [name for _, name in shown])
    panel.set(xlim=(0, 100), ylim=(len(shown) - 0.45, -0.55))
    panel.grid(False, axis="y")
    panel.set_xlabel(f"share of the excess {measure} time of the slowest calls (%)")
    return drawn


def order_of(cause):
    return (list(FACES).index(cause) if cause in FACES else len(FACES), cause)


def facts(tails, total_ns):
    """The number of calls, their excess time, and the threads that caused most of it."""
    calls = sum(tail["calls"] for tail in tails)
    if not calls:
        return "not explained"
    lowest = min(tail["threshold_ns"] for tail in tails)
    lines = [f"{calls} calls of {units.format_ns(lowest)} or more, "
             f"{units.format_ns(total_ns / calls)} excess each"]
    blame = {}
    for tail in tails:
        for one in tail["culprits"]:
            if one["name"]:
                blame[one["name"]] = blame.get(one["name"], 0) + one["time_ns"]
    worst = sorted(blame, key=lambda name: (-blame[name], name))[:MAX_CULPRITS]
    if worst:
        lines.append(", ".join(f"{name[:15]} {units.format_ns(blame[name])}" for name in worst))
    return "\n".join(lines)


if __name__ == "__main__":
    import command
    command.main({"causes": draw})
