"""The command line of the plot scripts, for one kind of plot or for all."""
import argparse
import pathlib
import re
import sys
import textwrap

import answers
import style
from caption import Skip, file_name, is_rate
from printable import say, tell, unwritable
from results import ResultError, load_all

EXIT_CODES = {
    0: "at least one plot was drawn",
    1: "none could be",
    2: "bad usage or a file that cannot be used; the others are drawn",
    3: "no matplotlib or no jsonschema",
}

EXAMPLES = (
    ("out/", "all that the results can fill", None),
    ("out/steady@*.json --format png", "no SVG", None),
    ("old/ new/ --out plots", "both in the same plots", None),
    ("out/ --kind percentiles,histogram", "two kinds only", "--kind"),
    ("out/ --kind over_time --trial 0", "one trial only", "--kind"),
    ("out/ --trial 0", "one trial only", "--trial"),
    ("out/ --per-trial", "a line for each trial, too", "--per-trial"),
    ("out/ --rate 10000", "this rate of a sweep", "--rate"),
)
# The kinds of plots for which an option is.
USED_BY = {
    "--rate": ("ranking", "percentiles", "histogram", "over_time", "delivery", "causes"),
    "--trial": ("over_time",),
    "--per-trial": ("percentiles",),
}
HELP_COLUMNS = 78
CALLED_AS = "--called-as="  # what `tailgate plot` puts first: how the user knows this script


def parser(kinds, called_as=None):
    one = len(kinds) == 1
    # The script of the kind queue has another name than Python's module queue.
    script = pathlib.Path(next(iter(kinds.values())).__globals__["__file__"]).name
    name = called_as or (script if one else "plot.py")
    exit_codes = ", ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items())
    made = argparse.ArgumentParser(
        prog=name, formatter_class=argparse.RawDescriptionHelpFormatter,
        description=description(kinds),
        epilog=examples(name, kinds) + "\n" + textwrap.fill(f"exit status: {exit_codes}"))
    made.set_defaults(rate_hz=None, trial=None, per_trial=False)
    made.add_argument("results", nargs="+", metavar="FILE|DIR",
                      help="result files, or folders of them (their *.json)")
    made.add_argument("--out", type=pathlib.Path, metavar="DIR",
                      help="where the plots go (default: the folder of the first result)")
    made.add_argument("--format", type=_list_of(("png", "svg")), default=["png", "svg"],
                      metavar="LIST", help="png, svg or both (default: png,svg)")
    if not one:
        made.add_argument("--kind", type=_list_of(tuple(kinds)), default=list(kinds),
                          metavar="LIST", help=f"any of {','.join(kinds)} (default: all)")
    if is_used("--rate", kinds):
        made.add_argument("--rate", type=float, dest="rate_hz", metavar="HZ",
                          help="for runs at several rates: the rate to show (default: the highest "
                               "that all sustain)")
    if is_used("--trial", kinds):
        made.add_argument("--trial", type=int, metavar="INDEX", help="over_time: only this trial")
    if is_used("--per-trial", kinds):
        made.add_argument("--per-trial", action="store_true",
                          help="percentiles: add a thin line for each trial")
    return made


def is_used(option, kinds):
    return any(kind in USED_BY[option] for kind in kinds)


def description(kinds):
    """What the script of a single kind says of itself, or what holds for all."""
    shared = "Draws result files of tailgate; runs of one scenario share a plot."
    if len(kinds) > 1:
        return shared
    [draw] = kinds.values()
    return filled(draw.__globals__["__doc__"] + "\n\n" + shared)


def filled(text):
    """The paragraphs of a text, for a terminal."""
    return "\n\n".join(textwrap.fill(part.strip(), HELP_COLUMNS) for part in text.split("\n\n"))


def examples(name, kinds):
    """Those whose options these kinds have."""
    shown = [(f"  {name} {arguments}", what) for arguments, what, option in EXAMPLES
             if option is None or (len(kinds) > 1 if option == "--kind" else
                                   is_used(option, kinds) and (len(kinds) == 1
                                                               or option == "--rate"))]
    width = max(len(line) for line, _ in shown)
    return "Examples:\n" + "".join(f"{line:<{width}} {what}\n" for line, what in shown)


def main(kinds, arguments=None):
    """Parses the command line, draws, exits. kinds: {name: draw}, where draw(runs, options) yields
    (file name without suffix, figure) or raises Skip."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    called_as = None
    if arguments and arguments[0].startswith(CALLED_AS):
        called_as = arguments.pop(0)[len(CALLED_AS):]
    known = parser(kinds, called_as)
    options = known.parse_args(arguments)
    for option, value in (("--rate", options.rate_hz), ("--trial", options.trial),
                          ("--per-trial", options.per_trial or None)):
        if value is not None and not is_used(option, getattr(options, "kind", kinds)):
            known.error(f"{option} plays no part in these kinds of plots; it is for "
                        f"{', '.join(USED_BY[option])}")
    try:
        figures, whole = draw_all(kinds, options)
        raise SystemExit(2 if not whole else 0 if figures else 1)
    except ResultError as error:
        problem = str(error)
    except OSError as error:
        problem = unwritable(error)
    tell(f"error: {problem}")
    raise SystemExit(2)


def draw_all(kinds, options):
    """Draws every requested plot of every scenario; returns the number of figures, and whether
    every file could be used."""
    runs, others, damaged = load_all(options.results)
    for name in others:
        tell(f"skipped {name}: not a result of tailgate")
    for problem in damaged:
        tell(f"left out {problem}")
    runs.sort(key=lambda run: (run.scenario, _natural(run.label), str(run.path)))
    check_rate(runs, options.rate_hz)
    folder = options.out or runs[0].path.parent
    folder.mkdir(parents=True, exist_ok=True)
    used, figures = set(), 0
    chosen = getattr(options, "kind", list(kinds))
    for kind in chosen:
        skipped = {}
        fit = [run for run in runs if answers.is_for(run, kind)]
        if not fit and (chosen != list(kinds) or len(kinds) == 1):
            tell(f"skipped {kind}: {answers.skipped(kind)}")
        for scenario in dict.fromkeys(run.scenario for run in fit):
            group = [run for run in fit if run.scenario == scenario]
            try:
                for name, figure in kinds[kind](group, options):
                    save(figure, folder, _unused(file_name(name), used), options.format)
                    figures += 1
            except Skip as reason:
                skipped.setdefault(str(reason), []).append(scenario)
        for reason, scenarios in skipped.items():
            tell(f"skipped {kind} of {', '.join(scenarios)}: {reason}")
    return figures, not damaged


def check_rate(runs, rate_hz):
    """A rate that no run has is a mistake, whatever kinds of plots do without it."""
    rates_hz = sorted({step["rate_hz"] for run in runs for step in run.data["summary"]})
    if rate_hz is not None and rates_hz and not any(is_rate(one, rate_hz) for one in rates_hz):
        raise ResultError(f"--rate {rate_hz:g}: no run has this rate; there are "
                          f"{', '.join(f'{one:g}' for one in rates_hz)}")


def save(figure, folder, name, formats):
    for suffix in formats:
        path = folder / f"{name}.{suffix}"
        style.save(figure, path)
        say(path)


def _natural(text):
    """Sorts numbers in texts by value: m2 before m10."""
    return [(int(part), "") if part.isdecimal() else (-1, part)
            for part in re.split(r"(\d+)", text, flags=re.ASCII)]


def _unused(name, used):
    free, number = name, 1
    while free in used:
        number += 1
        free = f"{name}-{number}"
    used.add(free)
    return free


def _list_of(allowed):
    def parse(text):
        chosen = list(dict.fromkeys(text.split(",")))
        for name in chosen:
            if name not in allowed:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(allowed)}")
        return chosen
    return parse
