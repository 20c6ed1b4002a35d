#!/usr/bin/env python3
"""Report: one page of HTML with the answer, the verdicts, all figures and all plots.

Reads results of runs and verdicts of the gate. What other commands of tailgate say already, the
answer, the table for other programs and the findings of a history, this script asks them for.
`tailgate report` calls it.
"""
import argparse
import json
import pathlib
import re
import subprocess
import types
from collections import Counter

import plot
import report_page as page
import report_verdicts as verdicts
import shift
import style
from caption import Skip, banner, origin
from printable import replace_file, say, tell, unwritable
from report_figures import table_of_figures
from report_findings import section_of_findings
from results import NotAResult, ResultError, load

ALL_RATES = types.SimpleNamespace(rate_hz=None, trial=None, per_trial=False)


def main(arguments=None):
    options = parser().parse_args(arguments)
    try:
        found = collect(options.paths)
        options.out.parent.mkdir(parents=True, exist_ok=True)
        replace_file(options.out, page.document(*content(found, options)).encode())
        say(options.out)
        raise SystemExit(2 if found.damaged else 0)
    except ResultError as error:
        problem = str(error)
    except OSError as error:
        problem = unwritable(error)
    tell(f"error: {problem}")
    raise SystemExit(2)


def parser():
    made = argparse.ArgumentParser(prog="report.py", description=__doc__.split("\n", 1)[0])
    made.add_argument("paths", nargs="+", type=pathlib.Path, metavar="FILE|DIR")
    made.add_argument("--out", type=pathlib.Path, required=True, metavar="FILE")
    made.add_argument("--program", default="tailgate", metavar="FILE",
                      help="the program that is asked (default: tailgate)")
    made.add_argument("--history", metavar="WHERE", help="show its findings, too")
    return made


class Found:
    """What the files are: runs, verdicts, and why others are left out."""

    def __init__(self):
        self.runs, self.verdicts, self.damaged = [], [], []

    def add(self, path):
        try:
            self.runs.append(load(path))
        except NotAResult:
            self.verdicts += shift.load(path)


def collect(paths):
    """Loads the named files, and of a folder its *.json and those of its folder results. A damaged
    file hides no other. The scenario with the most runs comes first. ResultError when there is
    nothing to show."""
    found = Found()
    for path in paths:
        if not path.is_dir():
            found.add(path)
            continue
        for file in sorted([*path.glob("*.json"), *path.glob("results/*.json")]):
            try:
                found.add(file)
            except shift.NoVerdict:
                pass  # a folder also holds duets, whose verdicts are shown
            except ResultError as error:
                tell(f"left out {error}")
                found.damaged.append(str(error))
    if not found.runs and not found.verdicts:
        raise ResultError(found.damaged[-1] if found.damaged else
                          f"{paths[0]}: no result and no verdict in this folder; give the --out "
                          "folder of a run or of a gate")
    in_scenario = Counter(run.scenario for run in found.runs)
    found.runs.sort(key=lambda run: (-in_scenario[run.scenario], run.scenario, run.label,
                                     str(run.path)))
    return found


def content(found, options):
    """The headline, what stands below it, and the sections of the page."""
    judged = [run.data for run in found.verdicts]
    answer = paragraphs(asked(options.program, "export", "answer", *files(found.runs))
                        ) if found.runs else []
    if judged:
        headline = verdicts.headline(judged)
    else:
        headline, more = first_sentence(answer.pop(0))
        answer[:0] = more
    sections = [verdicts.section_of(judged, verdict_figures(found.verdicts))] if judged else []
    if options.history:
        sections.append(section_of_findings(json.loads(
            asked(options.program, "history", "findings", "--all", "--json",
                  "--history", options.history))))
    if found.runs:
        table = asked(options.program, "export", "csv", *files(found.runs))
        sections += [table_of_figures(found.runs), *plots(found.runs),
                     page.section("data", "Data", page.download(table, "results.csv"))]
    return headline, lead(found, answer), sections


def first_sentence(text):
    """The first sentence, and a list of what follows it."""
    first, *more = re.split(r"(?<=[.]) (?=[A-Z])", text, maxsplit=1)
    return first, more


def lead(found, answer):
    everything = [*found.runs, *found.verdicts]
    restricted = banner(everything)
    return [*([page.warning(restricted)] if restricted else []),
            *(page.paragraph(text) for text in answer),
            *([page.paragraph(f"Measured {origin(found.runs)}.")] if found.runs else []),
            *(page.warning(f"Left out: {text}") for text in found.damaged)]


def files(runs):
    return [str(run.path) for run in runs]


def asked(program, *arguments):
    """What a command of the program prints; ResultError with what it complains of."""
    try:
        done = subprocess.run([program, *arguments], capture_output=True, check=False)
    except OSError as error:
        raise ResultError(f"{program}: {error.strerror}; name the program with --program") from None
    if done.returncode != 0 or not done.stdout.strip():
        problem = done.stderr.decode(errors="replace").strip().removeprefix("error: ")
        raise ResultError(problem or f"{program} {' '.join(arguments[:2])}: exit code "
                          f"{done.returncode}; run it by hand to see why")
    return done.stdout.decode(errors="replace")


def paragraphs(text):
    """The paragraphs of a text that is wrapped for a terminal, each in one line."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def verdict_figures(found):
    """The plot of each verdict as HTML, in their order; "" where there is none."""
    drawn = [shift.draw(run) for run in found]
    return [page.figure(style.drawn(figure, "svg"), name, figure_text(figure)) if figure else ""
            for name, figure in (made or ("", None) for made in drawn)]


def plots(runs):
    """A section of plots for each scenario."""
    for scenario in dict.fromkeys(run.scenario for run in runs):
        group = [run for run in runs if run.scenario == scenario]
        drawn = []
        for draw in plot.KINDS.values():
            try:
                drawn += [page.figure(style.drawn(figure, "svg"), name, figure_text(figure))
                          for name, figure in draw(group, ALL_RATES)]
            except Skip:
                pass  # a plot for which these runs have no data
        if drawn:
            yield page.section(f"plots-{scenario}", f"Plots: {scenario}", *drawn)


def figure_text(figure):
    """The texts around a figure's panels, the title first: what a screen reader reads."""
    texts = [text.get_text().replace("\n", " ") for text in figure.texts]
    largest = max(figure.texts, key=lambda text: text.get_size()).get_text().replace("\n", " ")
    return [largest, *(text for text in texts if text != largest)]


if __name__ == "__main__":
    main()
