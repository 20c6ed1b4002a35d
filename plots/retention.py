#!/usr/bin/env python3
"""Retention: does a cap hold at every moment, and how much history is left?

Each panel has the bytes of a path's files over one trial, and its cap; beside it stands what is
left.
"""
import answers
import style
import units
from answers import ends, figures
from caption import Skip

MOST_PANELS = 8
CAP = {"color": "#CC0000", "linestyle": "--", "linewidth": 1.2}
SEEN = {"color": "#0072B2", "linewidth": 1.5}


def draw(runs, options):
    del options  # there is nothing to choose
    named = [one for one in answers.answered(runs, "retention") if looks(one[0])]
    if not named:
        raise Skip("no trial looked at its files")
    named.sort(key=lambda one: -history_ns(one[0]))
    shown = named[:MOST_PANELS]
    figure, rows = style.sheet(len(shown), 1, (6.4, 1.5), words(runs, named, len(shown)),
                               gap_inches=(0.3, 0.42))
    for [panel], (run, name) in zip(rows, shown):
        draw_run(panel, run)
        style.title(panel, name)
        style.beside(panel, verdict(run), facts(run))
    rows[-1][0].set_xlabel("time since recording began")
    yield answers.plot_name("retention", runs), figure


def words(runs, named, shown):
    more = ["Sizes of all files in the trial's folder, as the controller saw them every few "
            "milliseconds; of each run the trial with the most. Dashed: the cap."]
    if len(named) > shown:
        more.append(f"! {len(named) - shown} more runs are left out: those that keep least.")
    return answers.words("Does the cap hold, and how much history is left?", runs, named,
                         answers.where_asked(named), more)


def looks(run):
    """(trial, looks) of the trial whose files had the most bytes; nothing if none looked."""
    found = [(trial, trial["storage"]["kept"]) for trial in run.data["trials"]
             if trial.get("storage", {}).get("kept")]
    return max(found, key=lambda one: max(look["most_bytes"] for look in one[1]), default=None)


def history_ns(run):
    return figures(run).get("history_ns", {"value": 0})["value"]


def cap_bytes(run):
    return figures(run).get("cap_bytes", {"value": 0})["value"]


def draw_run(panel, run):
    trial, seen = looks(run)
    x = [look["at_ns"] - trial["start_ns"] for look in seen]
    panel.plot(x, [look["most_bytes"] for look in seen], label="seen", drawstyle="steps-mid",
               **SEEN)
    most = max(look["most_bytes"] for look in seen)
    if cap_bytes(run):
        panel.axhline(cap_bytes(run), label="cap", **CAP)
    top = 1.15 * max(1, most, cap_bytes(run))
    style.linear_durations(panel.xaxis)
    places = [share * top / 1.15 for share in (0, 0.5, 1)]
    style.ticks(panel.yaxis, places, [size_text(place) for place in places])
    panel.set(xlim=(min(0, x[0]), max(x[-1], x[0] + 1)), ylim=(0, top))


def size_text(number):
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.0f} B"


def verdict(run):
    holds = run.data["answer"].get("holds")
    if holds is None:
        return "not told" if cap_bytes(run) else "names no cap"
    if holds:
        return "cap holds, newest all there" if cap_bytes(run) else "nothing uncounted"
    return failures(run)


def failures(run):
    known = figures(run)
    if known.get("gone_newest_events", {"value": 0})["value"]:
        return "NEWEST MISSING"
    if known.get("gone_between_events", {"value": 0})["value"]:
        return "EVENTS MISSING"
    if known.get("uncounted_events", {"value": 0})["value"] and not exceeds_cap(run):
        return "MISSING, UNCOUNTED"
    return "CAP EXCEEDED"


def exceeds_cap(run):
    return cap_bytes(run) and ends(figures(run)["most_bytes"])[1] > cap_bytes(run)


def facts(run):
    """Lines of text beside a panel."""
    known = figures(run)
    lines = []
    if "most_bytes" in known:
        cap = f" of {size_text(cap_bytes(run))}" if cap_bytes(run) else ""
        lines.append(f"at most {size_text(ends(known['most_bytes'])[1])}{cap}")
    if "kept_events" in known:
        lines.append(f"left: {known['kept_events']['value']:.0f} events, "
                     f"back to {units.format_ns(history_ns(run))}")
    for name, text in (("gone_newest_events", "newest missing: {:.0f}"),
                       ("gone_between_events", "missing between: {:.0f}")):
        if known.get(name, {"value": 0})["value"]:
            lines.append(text.format(known[name]["value"]))
    if known.get("refused_share", {"value": 0})["value"]:
        lines.append(f"refused: {100 * known['refused_share']['value']:.3g} % of the calls")
    if "removal_response_max_ns" in known:
        lines.append(f"longest call at a removal {size_ns(known, 'removal')}, "
                     f"else {size_ns(known, 'elsewhere')}")
    return lines


def size_ns(known, where):
    return units.format_ns(known[f"{where}_response_max_ns"]["value"])


if __name__ == "__main__":
    import command
    command.main({"retention": draw})
