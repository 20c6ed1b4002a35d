#!/usr/bin/env python3
"""Parity: do log lines come back as they were sent, from every sink that got them?

A row is one sink's copy of the lines, a column one kind of them.
"""
import answers
import style
from answers import figures

# The kinds of lines, in the order of the columns.
KINDS = {"plain": "plain", "utf8": "UTF-8", "surrogate": "lone\nsurrogates",
         "invalid_utf8": "invalid\nUTF-8", "nul": "NUL", "line_feed": "line feeds",
         "quotes": "quotes", "control": "control\ncharacters", "empty": "empty",
         "longest": "longest"}
FATES = {"changed": "changed", "cut": "cut", "missing": "missing"}
SAME, SOME, ALL = "#8FCFB5", "#F3C969", "#E58B73"  # of a kind's lines that differ: none, some, all
CELL_INCHES = (0.74, 0.5)
MOST_CHARACTERS = 12  # of a difference's bytes


def draw(runs, options):
    del options  # there is nothing to choose
    named = answers.answered(runs, "parity")
    rows = sorted((row for run, name in named for row in copies(run, name)),
                  key=lambda row: differing(row[1]))
    kinds = [kind for kind in KINDS if any(kind in counts for _, counts, _ in rows)] or ["plain"]
    figure, [[panel]] = style.sheet(
        1, 1, (CELL_INCHES[0] * len(kinds), CELL_INCHES[1] * max(1, len(rows))),
        words(runs, named))
    for y, (name, counts, _) in enumerate(rows):
        for x, kind in enumerate(kinds):
            if kind in counts:
                draw_cell(panel, x, y, name, kind, counts[kind])
    finish(panel, kinds, rows)
    yield answers.plot_name("parity", runs), figure


def words(runs, named):
    unread = [name for run, name in named if not figures(run)]
    return answers.words(
        "Do log lines come back byte by byte?", runs, named, answers.where_asked(named), [
            "A number is of lines, of all trials. The first difference is in the bytes of the line "
            "that has the lowest number.",
            *([f"Cannot be read back: {', '.join(unread[:answers.MOST_NAMES])}."]
              if unread else [])])


def copies(run, name):
    """(name, {kind: counts}, first difference or None) of each copy in a run."""
    found = {}
    for trial in run.data["trials"]:
        for copy in trial.get("copies", []):
            counts, first = found.setdefault(copy["sink"], ({}, []))
            for read in copy["kinds"]:
                add(counts.setdefault(read["kind"], {}), read)
                if "first" in read:
                    first.append(read["first"])
    own = [name] if len(found) == 1 else list(found)
    return [(label, counts, min(first, key=lambda one: one["sequence"], default=None))
            for label, (counts, first) in zip(own, found.values())]


def add(counts, read):
    for field in ("lines", "same", *FATES):
        counts[field] = counts.get(field, 0) + read[field]


def differing(counts):
    return sum(kind[fate] for kind in counts.values() for fate in FATES)


def draw_cell(panel, x, y, name, kind, counts):
    same = counts["same"] == counts["lines"]
    color = SAME if same else ALL if counts["same"] == 0 else SOME
    panel.bar(x, 0.92, 0.94, y - 0.46, color=color, label=f"{name} {kind}")
    texts = ["same"] if same else [f"{counts[fate]} {word}" for fate, word in FATES.items()
                                   if counts[fate]]
    panel.annotate("\n".join(texts), (x, y), ha="center", va="center",
                   size=7.5 if len(texts) < 3 else 6, gid="cell")


def finish(panel, kinds, rows):
    panel.set(xlim=(-0.5, len(kinds) - 0.5), ylim=(max(1, len(rows)) - 0.5, -0.5))
    panel.xaxis.tick_top()
    panel.tick_params(length=0)
    panel.grid(False)
    for spine in panel.spines.values():
        spine.set_visible(False)
    style.ticks(panel.xaxis, range(len(kinds)), [KINDS[kind] for kind in kinds])
    style.ticks(panel.yaxis, range(len(rows)), [name for name, _, _ in rows])
    for label in panel.get_xticklabels():
        label.set_size(7.5)
    for y, (_, _, first) in enumerate(rows):
        panel.annotate(fact(first), (1, y), xycoords=("axes fraction", "data"), xytext=(7, 0),
                       textcoords="offset points", va="center", size=7.5, gid="fact")
    style.legend_below(panel, [style.patch("as they were sent", facecolor=SAME),
                               style.patch("some differ", facecolor=SOME),
                               style.patch("all differ", facecolor=ALL)])


def fact(first):
    """The first difference, in two lines."""
    if not first:
        return ""
    sent, back = (short(first[field]) or "its end" for field in ("expected", "found"))
    return f"line {first['sequence']}, byte {first['offset_bytes']}:\n{sent} \u2192 {back}"


def short(text):
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS - 1] + "\u2026"


if __name__ == "__main__":
    import command
    command.main({"parity": draw})
