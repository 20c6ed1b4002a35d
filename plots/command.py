"""The command line of the plot scripts, for one kind of plot or for all."""
import argparse
import pathlib
import re
import textwrap

import style
from caption import Skip, file_name
from printable import say, tell, unwritable
from results import ResultError, load_all

EXIT_CODES = {
    0: "at least one plot was drawn",
    1: "none could be",
    2: "bad usage or a file that cannot be used",
    3: "no matplotlib or no jsonschema",
}

EXAMPLES = """\
Examples:
  {script} out/                          every plot that the results can fill
  {script} out/steady@*.json --format png    only PNG, beside the results
  {script} old/ new/ --out plots --kind percentiles,histogram
  {script} out/ --kind over_time --trial 0   one trial instead of all
  {script} out/ --rate 10000             this rate of a sweep
"""


def parser(kinds):
    one = len(kinds) == 1
    script = f"{next(iter(kinds))}.py" if one else "plot.py"
    exit_codes = ", ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items())
    made = argparse.ArgumentParser(
        prog=script, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Draws result files of tailgate; runs of one scenario share a plot.",
        epilog=EXAMPLES.format(script=script) + "\n" + textwrap.fill(f"exit status: {exit_codes}"))
    made.add_argument("results", nargs="+", metavar="FILE|DIR",
                      help="result files, or folders of them (their *.json)")
    made.add_argument("--out", type=pathlib.Path, metavar="DIR",
                      help="where the plots go (default: the folder of the first result)")
    made.add_argument("--format", type=_list_of(("png", "svg")), default=["png", "svg"],
                      metavar="LIST", help="png, svg or both (default: png,svg)")
    if not one:
        made.add_argument("--kind", type=_list_of(tuple(kinds)), default=list(kinds),
                          metavar="LIST", help=f"any of {','.join(kinds)} (default: all)")
    made.add_argument("--rate", type=float, dest="rate_hz", metavar="HZ",
                      help="for runs at several rates: the rate to show (default: the highest that "
                           "all sustain)")
    made.add_argument("--trial", type=int, metavar="INDEX", help="over_time: only this trial")
    made.add_argument("--per-trial", action="store_true",
                      help="percentiles: add a thin line for each trial")
    return made


def main(kinds, arguments=None):
    """Parses the command line, draws, exits. kinds: {name: draw}, where draw(runs, options) yields
    (file name without suffix, figure) or raises Skip."""
    options = parser(kinds).parse_args(arguments)
    try:
        raise SystemExit(0 if draw_all(kinds, options) else 1)
    except ResultError as error:
        problem = str(error)
    except OSError as error:
        problem = unwritable(error)
    tell(f"error: {problem}")
    raise SystemExit(2)


def draw_all(kinds, options):
    """Draws every requested plot of every scenario; returns the number of figures."""
    runs, others = load_all(options.results)
    for name in others:
        tell(f"skipped {name}: not a result of tailgate")
    runs.sort(key=lambda run: (run.scenario, _natural(run.label), str(run.path)))
    folder = options.out or runs[0].path.parent
    folder.mkdir(parents=True, exist_ok=True)
    used, figures = set(), 0
    for kind in getattr(options, "kind", kinds):
        skipped = {}
        for scenario in dict.fromkeys(run.scenario for run in runs):
            group = [run for run in runs if run.scenario == scenario]
            try:
                for name, figure in kinds[kind](group, options):
                    save(figure, folder, _unused(file_name(name), used), options.format)
                    figures += 1
            except Skip as reason:
                skipped.setdefault(str(reason), []).append(scenario)
        for reason, scenarios in skipped.items():
            tell(f"skipped {kind} of {', '.join(scenarios)}: {reason}")
    return figures


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
