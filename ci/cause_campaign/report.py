"""The campaign's tables: for a terminal of 80 columns, and for other programs."""

import csv
import dataclasses
import json
import textwrap

from . import judge, plan

COLUMNS = 80
GOAL = 0.95
NO = "-"


@dataclasses.dataclass
class Row:
    """A case and what came of it."""
    case: plan.Case
    judgement: judge.Judgement = None  # None: it was not measured
    cannot: str = ""                   # why
    seconds: float = 0

    @property
    def outcome(self):
        if self.judgement is None:
            return "cannot" if self.cannot else "not measured"
        return "named" if self.judgement.named else "missed"


def duration(value_ns):
    """Short, with the unit: 950ns, -1.23us, 45.6ms."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if abs(value_ns) >= size:
            return f"{value_ns / size:.3g}{unit}"
    return f"{value_ns:.0f}ns"


def found(row):
    """What was found of what was planted."""
    said = row.judgement
    if said is None or said.found_ns is None:
        return ""
    text = duration(said.found_ns)
    if row.case.planted_ns:
        off = said.found_ns / row.case.planted_ns - 1
        text += f" of {duration(row.case.planted_ns)} ({off:+.0%})"
    return text


def progress(row):
    text = f"{row.outcome:<7} {row.case.title}"
    detail = row.cannot or (row.judgement and row.judgement.first) or ""
    amount = found(row)
    lines = textwrap.wrap(text, COLUMNS - 2, subsequent_indent=" " * 8)
    lines += textwrap.wrap(f"{detail}{'; ' + amount if amount else ''}", COLUMNS - 12,
                           initial_indent=" " * 8, subsequent_indent=" " * 8)
    return "\n".join(lines)


def counted(flags):
    """"7 of 8" of those that are known."""
    known = [flag for flag in flags if flag is not None]
    return f"{sum(known)} of {len(known)}" if known else NO


def by_plant(rows):
    groups = {}
    for row in rows:
        groups.setdefault((row.case.kind, row.case.plant), []).append(row)
    return groups


def plants_table(rows):
    """A line for each plant."""
    lines = [f"{'planted':<47}{'named':>9}{'amount':>11}{'adds up':>11}", "-" * 78]
    for (kind, plant), group in by_plant(rows).items():
        measured = [row.judgement for row in group if row.judgement]
        name = plant if kind == "duet" else f"{plant} (run)"
        cells = [counted([said.named for said in measured]),
                 counted([said.agrees for said in measured]),
                 counted([said.adds_up for said in measured])]
        lines.append(f"{name[:46]:<47}{cells[0]:>9}{cells[1]:>11}{cells[2]:>11}")
    return lines


def share_line(words, flags):
    """"the first line names it: 39 of 40 (97.5 %, 95 % interval 87.1 to 99.6)"."""
    known = [flag for flag in flags if flag is not None]
    if not known:
        return []
    low, high = judge.wilson(sum(known), len(known))
    text = (f"{words}: {sum(known)} of {len(known)} ({100 * sum(known) / len(known):.1f} %, "
            f"95 % interval {100 * low:.1f} to {100 * high:.1f})")
    return textwrap.wrap(text, COLUMNS - 2, subsequent_indent="  ")


def summary(rows):
    """Lines of the counts."""
    planted = [row for row in rows if row.case.causes and row.judgement]
    duets = [row.judgement for row in planted if row.case.kind == "duet"]
    runs = [row.judgement for row in planted if row.case.kind == "run"]
    nothing = [row.judgement for row in rows if not row.case.causes and row.judgement]
    every = [row.judgement for row in planted]
    lines = share_line("first line names it", [said.named for said in every])
    lines += share_line("  of duets", [said.named for said in duets])
    lines += share_line("  of runs", [said.named for said in runs])
    lines += share_line("amount within 10 %", [said.agrees for said in every])
    lines += share_line("parts add up to 90 % or more", [said.adds_up for said in every])
    lines += share_line("nothing planted, nothing distinct", [said.named for said in nothing])
    return lines


def exceptions(rows):
    """What did not go as it should, case by case."""
    lines = []
    for row in rows:
        said = row.judgement
        if said is None:
            if row.cannot:
                lines.append(f"cannot be tried here: {row.case.title}: {row.cannot}")
            continue
        if not said.named:
            lines.append(f"missed: {row.case.title}: {said.first}")
        if said.agrees is False:
            lines.append(f"amount: {row.case.title}: {found(row) or 'the part is not there'}")
        if said.adds_up is False:
            lines.append(f"does not add up: {row.case.title}: of {duration(said.whole_ns)} more "
                         "than a tenth has no name")
    return [part for line in lines
            for part in textwrap.wrap(line, COLUMNS - 2, subsequent_indent="  ")]


def shares_table(shares, goal):
    """shares: sink -> measure -> one share a run, None where there is none."""
    measures = plan.MEASURES["run"]
    lines = [f"{'unknown or untraced, % of the excess':<38}"
             + "".join(f"{measure:>14}" for measure in measures), "-" * COLUMNS]
    for sink, of_measure in shares.items():
        cells = ["/".join(NO if share is None else f"{100 * share:.1f}"
                          for share in of_measure[measure]) for measure in measures]
        marks = ["!" if any(share is not None and share > goal for share in of_measure[measure])
                 else " " for measure in measures]
        lines.append(f"{sink[:24]:<24}" + "".join(f"{cell:>17}{mark}"
                                                 for cell, mark in zip(cells, marks)).rstrip())
    met = [share <= goal for of_measure in shares.values() for one in of_measure.values()
           for share in one if share is not None]
    lines += [f"! above {100 * goal:g} % in a run; at most that: {counted(met)} tails"]
    return lines


FIELDS = ["kind", "plant", "sink", "outcome", "cause", "name", "first", "planted_ns", "found_ns",
          "whole_ns", "agrees", "adds_up", "cannot", "seconds"]


def record(row):
    """Of a case, for other programs."""
    said = row.judgement or judge.Judgement(None, "")
    return {"kind": row.case.kind, "plant": row.case.plant, "sink": row.case.sink,
            "outcome": row.outcome, "cause": "|".join(row.case.causes),
            "name": "|".join(row.case.names), "first": said.first,
            "planted_ns": row.case.planted_ns, "found_ns": said.found_ns,
            "whole_ns": said.whole_ns, "agrees": said.agrees, "adds_up": said.adds_up,
            "cannot": row.cannot, "seconds": row.seconds}


def write(out, rows, shares):
    records = [record(row) for row in rows]
    with open(out / "causes.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(records)
    (out / "causes.json").write_text(
        json.dumps({"cases": records, "shares": shares}, indent=1) + "\n", encoding="utf-8")
