#!/usr/bin/env python3
"""Causes: what are the slow calls of each sink made of, and who is to blame?"""
import style
from caption import Part, Skip, caption, names, notes

# In the order in which a bar stacks them: the load itself, the kernel on its processor, others,
# blocked, unseen. What a grey print cannot tell apart, the hatching does.
LOOKS = {
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
MOST_CULPRITS = 3


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
    order = [cause for cause in LOOKS if cause in drawn] + sorted(drawn - set(LOOKS))
    # Beyond the facts beside the bars.
    axes[0][0].legend(handles=[style.patch(look(cause)[0], **face(cause)) for cause in order],
                      loc="upper left", bbox_to_anchor=(1.82, 1.02), borderaxespad=0)
    yield f"causes-{runs[0].scenario}", figure


def tails_of(run, measure):
    """The explained tails of that measure in the traced trials that completed."""
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


def look(cause):
    """Words, colour and hatching; a cause of a later version stands out."""
    return LOOKS.get(cause, (cause, "#009E73", "oo"))


def face(cause):
    _, color, hatch = look(cause)
    return {"facecolor": color, "hatch": hatch, "edgecolor": "#333333", "linewidth": 0.5}


def excess_by_cause(tails):
    total = {}
    for tail in tails:
        for cause in tail["causes"]:
            total[cause["cause"]] = total.get(cause["cause"], 0) + cause["excess_ns"]
    return total


def draw_bars(panel, measure, shown):
    """One bar a run; returns the causes that it drew."""
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
    return (list(LOOKS).index(cause) if cause in LOOKS else len(LOOKS), cause)


def facts(tails, total_ns):
    """How many calls, how much above the usual, and whose fault."""
    calls = sum(tail["calls"] for tail in tails)
    if not calls:
        return "not explained"
    lowest = min(tail["threshold_ns"] for tail in tails)
    lines = [f"{calls} calls from {style.format_ns(lowest)} on, "
             f"{style.format_ns(total_ns / calls)} excess each"]
    blame = {}
    for tail in tails:
        for one in tail["culprits"]:
            if one["name"]:
                blame[one["name"]] = blame.get(one["name"], 0) + one["time_ns"]
    worst = sorted(blame, key=lambda name: (-blame[name], name))[:MOST_CULPRITS]
    if worst:
        lines.append(", ".join(f"{name[:15]} {style.format_ns(blame[name])}" for name in worst))
    return "\n".join(lines)


if __name__ == "__main__":
    import command
    command.main({"causes": draw})
