#!/usr/bin/env python3
"""Losses: which share of the events did each sink lose, and for which causes?"""
import style
from caption import (MOST_NAMES, Part, Skip, caption, listed, missing_steps, names,
                     percent_text, rate_text)

ROW_INCHES = 0.34
UNACCOUNTED = "unaccounted for: vanished without a report"
UNACCOUNTED_FACE = {"facecolor": "#CC0000", "edgecolor": "#ffffff", "hatch": "xx"}
HATCHES = ("", "//", "..", "xx")


def draw(runs, options):
    del options  # all rates are shown
    named = list(zip(runs, names(runs)))
    every = [Part(run, name, step) for run, name in named for step in run.data["summary"]]
    parts = [part for part in every if sum(shares(part).values())]
    if not parts:
        raise Skip("no event was lost")
    figure, [[panel]] = style.sheet(1, 1, (5.6, ROW_INCHES * (len(parts) + 0.6)), words(
        parts, every, named))
    faces = faces_of(parts)
    for row, part in enumerate(parts):
        left = 0.0
        for cause, share in sorted(shares(part).items(), key=lambda one: list(faces).index(one[0])):
            panel.barh(row, 100 * share, left=left, height=0.6, linewidth=0.3, label=cause,
                       **faces[cause])
            left += 100 * share
    finish(panel, parts, faces)
    yield f"losses-{runs[0].scenario}", figure


def words(parts, every, named):
    lossy = {part.name for part in parts}
    clean = [name for _, name in named if name not in lossy]
    unchecked = dict.fromkeys(part.name for part in every
                              for trial in part.run.trials(part.step["step"])
                              if not trial["ledger"]["checked"])
    made = caption("Which share of the events was lost, and why?", parts, more=[
        *([f"Nothing lost: {listed(clean, MOST_NAMES)}."] if clean else []),
        *([f"Not read back, so only reported losses are known: {listed(unchecked, MOST_NAMES)}."]
          if unchecked else []), *missing_steps(named)])
    if len({part.step["rate_hz"] for part in parts}) > 1:
        made.title = ("Which share of the events was lost, and why? \u2013 "
                      f"{parts[0].run.scenario}")
    return made


def shares(part):
    """The share of the emitted events that was lost, by cause; no cause without an event."""
    trials = part.run.trials(part.step["step"])
    emitted = sum(trial["ledger"]["emitted"] for trial in trials)
    found = {}
    for trial in trials:
        ledger = trial["ledger"]
        for loss in ledger["losses"]:
            cause = f"{loss['cause']} (reported by the {loss['reported_by']})"
            found[cause] = found.get(cause, 0) + loss["events"]
        if ledger["checked"]:
            found[UNACCOUNTED] = found.get(UNACCOUNTED, 0) + max(0, ledger["unaccounted"])
    return {cause: events / emitted for cause, events in found.items() if events and emitted}


def faces_of(parts):
    """How each cause is drawn, in the order of a bar's segments: the most frequent cause first."""
    total = {}
    for part in parts:
        for cause, share in shares(part).items():
            total[cause] = total.get(cause, 0.0) + share
    causes = sorted(total, key=lambda cause: (cause == UNACCOUNTED, -total[cause], cause))
    colors = style.PALETTE[:2] + style.PALETTE[3:]  # black is for text
    return {cause: UNACCOUNTED_FACE if cause == UNACCOUNTED else
            {"facecolor": colors[number % len(colors)], "edgecolor": "#ffffff",
             "hatch": HATCHES[number // len(colors) % len(HATCHES)]}
            for number, cause in enumerate(causes)}


def row_name(part):
    several = len({step["rate_hz"] for step in part.run.data["summary"]}) > 1
    return f"{part.name} at {rate_text(part.step['rate_hz'])}" if several else part.name


def finish(panel, parts, faces):
    totals = [sum(shares(part).values()) for part in parts]
    style.ticks(panel.yaxis, range(len(parts)), [row_name(part) for part in parts])
    panel.set(xlim=(0, min(100.0, 108 * max(totals))), ylim=(len(parts) - 0.4, -0.6),
              xlabel="share of the emitted events (%)")
    panel.grid(False, axis="y")
    emitted = [sum(trial["ledger"]["emitted"] for trial in part.run.trials(part.step["step"]))
               for part in parts]
    style.table(panel, [("lost", "black"), ("emitted", "black")],
                [[percent_text(min(1.0, total)), f"{events:,}",
                  part.saturation]
                 for part, total, events in zip(parts, totals, emitted)], range(len(parts)),
                column_inches=0.85)
    style.legend(panel, [style.patch(cause, linewidth=0.3, **face)
                         for cause, face in faces.items()],
                 inches=2.0 + 0.08 * max(len(part.saturation) for part in parts))


if __name__ == "__main__":
    import command
    command.main({"losses": draw})
