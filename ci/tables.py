"""What the commands share that make tables: cells of figures, a table's place in a text."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "plots"))

import units  # noqa: E402
from printable import markdown  # noqa: E402

NONE = "–"
SPREAD = ("p50_ns", "p99_ns", "p99_9_ns", "max_ns")


def share(part, whole):
    if part == 0 or whole == 0:
        return "0"
    return f"{100 * part / whole:.2g} %"


def quantiles(latency, names):
    if not latency or latency["count"] == 0:
        return NONE
    return " / ".join(units.format_ns(latency[name]) for name in names)


def measured_on(runs):
    """A line for each machine of the runs, and one for each label that restricts their use."""
    machines = sorted({(run.data["machine"]["cpu_model"], run.data["machine"]["logical_cpus"],
                        run.data["machine"]["kernel"]) for run in runs})
    labels = sorted({run.data["label"] for run in runs if run.data["label"]})
    return ([f"{markdown(model)}, {cpus} processors, Linux {markdown(kernel)}."
             for model, cpus, kernel in machines] + [f"**{markdown(label)}**" for label in labels])


def markdown_table(columns, rows):
    """Its lines; the cells are Markdown already."""
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    return lines + ["| " + " | ".join(cells) + " |" for cells in rows]


def marks(command):
    """The lines between which the command writes."""
    return f"<!-- below: written by {command} -->", f"<!-- above: written by {command} -->"


def replace_between_marks(path, command, text):
    """Puts text between the command's marks of the file, which appears whole or not at all.
    ValueError when they are not there."""
    begin, end = marks(command)
    old = path.read_text(encoding="utf-8")
    if old.count(begin) != 1 or old.count(end) != 1 or old.index(begin) > old.index(end):
        raise ValueError(f"{path}: not one line '{begin}' with '{end}' after it; put both where "
                         "the table belongs")
    new = path.with_name(path.name + ".new")
    new.write_text(f"{old.split(begin)[0]}{begin}\n{text}{end}{old.split(end)[1]}",
                   encoding="utf-8")
    os.replace(new, path)
