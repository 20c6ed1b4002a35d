#!/usr/bin/env python3
"""Report: one page of HTML with the answer, the verdicts, all figures and all plots.

Reads results of runs and verdicts of the gate. It asks the program for the answer, the CSV table
and the findings of a history. `tailgate report` calls it.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import types
from collections import Counter

import answers
import nights
import nights_parts
import plot
import report_page as page
import report_verdicts as verdicts
import shift
import style
from caption import Skip, banner, origin
from printable import drawable_data, replace_file, say, tell, unwritable
from report_figures import tables_of_figures
from report_findings import (MOST_DRAWN, MOST_SERIES, section_of_findings, section_of_fleet,
                             section_of_parts, waits)
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
        self._seen = set()

    def add(self, path):
        if path.resolve() in self._seen:
            return
        self._seen.add(path.resolve())
        try:
            self.runs.append(load(path))
        except NotAResult:
            self.verdicts += shift.load(path)

    def leave_out(self, problem):
        tell(f"left out {problem}")
        self.damaged.append(str(problem))


def collect(paths):
    """Loads the named files, and of a folder its *.json, those of its folder results, and the
    verdicts that a gate left beside its plots. A damaged file of a folder hides no other. The
    scenario with the most runs comes first. ResultError when there is nothing to show."""
    found = Found()
    for path in paths:
        if not path.is_dir():
            found.add(path)
            continue
        for file in [*sorted(path.glob("*.json")), *sorted(path.glob("results/*.json")),
                     *(path / "plots").glob("verdict.json")]:
            if file.parent.name == "plots" and found.verdicts:
                continue  # they are in the folder itself
            try:
                found.add(file)
            except shift.NoVerdict:
                pass  # a folder also holds duets, whose verdicts are shown
            except ResultError as error:
                found.leave_out(error)
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
    answer = paragraphs(exported("answer", found, options)) if found.runs else []
    sections = [verdicts.section_of(judged, verdict_figures(found))] if judged else []
    if options.history:
        sections += [history(options), *machines(options), *causes_and_roles(found, options)]
    if found.runs:
        table = exported("csv", found, options)
        sections += [*tables_of_figures(found.runs), *plots(found),
                     page.section("data", "Data", page.download(table, "results.csv"))]
    if judged:
        headline = verdicts.headline(judged)
    else:
        headline, more = first_sentence(answer.pop(0))
        answer[:0] = more
    if found.damaged:
        headline = headline.removesuffix(".") + f" ({len(found.damaged)} could not be read)"
    return headline, lead(found, answer), sections


NIGHTS_DRAWN = 90  # of a finding


def history(options):
    """The findings of a history, and the nights of those that wait for a decision."""
    where = ("--history", options.history)
    findings = json.loads(asked(options.program, "history", "findings", "--all", "--json", *where))
    figures = []
    for finding in list(filter(waits, findings))[:MOST_DRAWN]:
        made = nights.draw(drawable_data(finding), [nights.read(asked(
            options.program, "history", "export", "csv", "--kind", "duet", "--part", "effect",
            "--merge", "group", "--nights", str(NIGHTS_DRAWN), "--metric", series["metric"],
            "--scenario", series["scenario"], "--sink", series["sink"], "--machine",
            finding["fingerprint"], *where), series)
            for series in finding["series"][:MOST_SERIES]])
        if made:
            figures.append(image(*made, data="history"))
    return section_of_findings(findings, figures)


def machines(options):
    """The machines of the history that are not like others of their kind."""
    return section_of_fleet(json.loads(asked(options.program, "history", "fleet", "--json",
                                             "--history", options.history)))


def causes_and_roles(found, options):
    """What the nights of these machines consisted of, where the history has it; the machines are
    those of the runs and verdicts, or all if it has none of these. Of a single night the
    table says all, so it is not drawn."""
    machines = {run.data["machine"]["fingerprint"] for run in found.runs} | {
        run.data["fingerprint"] for run in found.verdicts}
    own = [answer for machine in sorted(machines)
           for answer in nights_of_parts(options, "--machine", machine)]
    figures = nights_parts.by_identity(own or nights_of_parts(options))
    if figures:
        several = nights_parts.with_several_nights(figures)
        drawn = [image(*nights_parts.draw(number, identity, shown), data="parts")
                 for number, (identity, shown) in enumerate(several.items(), 1)]
        yield section_of_parts(figures, drawn)


def nights_of_parts(options, *machine):
    """[(kind, what the program prints of it)] of the last nights, for what it has."""
    answers = []
    for kind in nights_parts.KINDS:
        try:
            text = asked(options.program, "history", *kind.question, *machine, "--history",
                         options.history)
        except ResultError:
            continue  # no night has this time
        if "\n" in text.strip():
            answers.append((kind, text))
    return answers


def first_sentence(text):
    """The first sentence, and a list of what follows it."""
    first, *more = re.split(r"(?<=[.]) (?=[A-Z])", text, maxsplit=1)
    return first, more


def lead(found, answer):
    restricted = banner(found.verdicts)
    return [*([page.warning(restricted)] if restricted else []),
            *(page.paragraph(text) for text in answer),
            *([page.paragraph(f"Measured {origin(found.runs)}.")] if found.runs else []),
            *(page.warning(f"Left out: {text}") for text in found.damaged)]


def exported(form, found, options):
    """What the program makes of all runs."""
    files = [str(run.path) for run in found.runs]
    return asked(options.program, "export", form, "--", *files)


def asked(program, *arguments):
    """What a command of the program prints, also where it complains of a part of its input;
    ResultError with what it complains of when it prints nothing."""
    try:
        done = subprocess.run([program, *arguments], capture_output=True, check=False)
    except OSError as error:
        raise ResultError(f"{program}: {error.strerror}; name the program with --program") from None
    if not done.stdout.strip():
        problem = " ".join(done.stderr.decode(errors="replace").split()).removeprefix("error: ")
        raise ResultError(problem or f"{program} {' '.join(arguments[:2])}: exit code "
                          f"{done.returncode}; run it by hand to see why")
    return done.stdout.decode(errors="replace")


def paragraphs(text):
    """The paragraphs of a text that is wrapped for a terminal, each in one line."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def verdict_figures(found):
    """The plot of each verdict as HTML, in their order; "" where there is none."""
    for run in found.verdicts:
        try:
            name, figure = shift.draw(run) or ("", None)
            yield image(name, figure) if figure else ""
        except ResultError as error:
            found.leave_out(error)
            yield ""


def plots(found):
    """A section of plots for each scenario."""
    scenarios = list(dict.fromkeys(run.scenario for run in found.runs))
    for number, scenario in enumerate(scenarios, 1):
        if sys.stderr.isatty():
            tell(f"drawing {scenario}, {number} of {len(scenarios)}")
        group = [run for run in found.runs if run.scenario == scenario]
        drawn = [figure for kind in plot.KINDS for figure in plots_of(kind, group, found)]
        if drawn:
            yield page.section(f"plots-{number}", f"Plots: {scenario}", *drawn)


def plots_of(kind, runs, found):
    """The plots of a kind for which these runs have data."""
    fit = [run for run in runs if answers.is_for(run, kind)]
    try:
        for name, figure in plot.KINDS[kind](fit, ALL_RATES) if fit else ():
            yield image(name, figure, data="data")
    except Skip:
        pass
    except ResultError as error:
        if str(error) not in found.damaged:
            found.leave_out(error)


def image(name, figure, **links):
    return page.figure(style.drawn(figure, "svg"), name, figure_text(figure), **links)


def figure_text(figure):
    """The texts around a figure's panels, the title first: what a screen reader reads."""
    texts = [text.get_text().replace("\n", " ") for text in figure.texts]
    largest = max(figure.texts, key=lambda text: text.get_size()).get_text().replace("\n", " ")
    return [largest, *(text for text in texts if text != largest)]


if __name__ == "__main__":
    main()
