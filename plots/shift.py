#!/usr/bin/env python3
"""Verdicts: by how much does each quantile of the response time differ, and how much is tolerated?

Reads what `tailgate gate --json` wrote and draws one plot a verdict; the x axis is that of the
percentile curves, 1 / (1 - q), so each further nine is as wide as the last.
"""
import argparse
import json
import math
import pathlib
import re

import style
from caption import Caption, file_name, load_text
from command import filled
from percentiles import curve, percent_ticks
from printable import drawable_data, say, tell, unwritable
from results import ResultError, Run, fault_of, newest_version, read_bounded

FORMAT = "tailgate-verdict"
SCHEMA = "verdict-schema"
# The name of a metric that is a quantile of the response time: response_ns_p99_9 is the 99.9th
# percentile.
QUANTILE = re.compile(r"response_ns_p(\d+)(?:_(\d+))?")
SIDE_LINES = ({"color": style.PALETTE[6], "linestyle": "-"},
              {"color": style.PALETTE[3], "linestyle": "--"})
# How a decision is drawn: red means fail, and nothing else is red.
FAIL = "#CC0000"
MARKS = {"pass": ("o", style.PALETTE[0]), "fail": ("X", FAIL), "undecided": ("D", style.GREY)}
SHIFT = {"color": "black", "marker": "."}
TOLERATED = {"color": style.PALETTE[1], "linewidth": 3}


class NoVerdict(ResultError):
    """Well-formed JSON that is not a verdict."""


def load(path):
    """The verdicts in the file; ResultError when it cannot be read, NoVerdict when it contains
    none."""
    try:
        data = json.loads(read_bounded(path))
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}; give what 'tailgate gate --json' wrote"
                          ) from None
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{path}: not JSON ({error}); give what 'tailgate gate --json' wrote"
                          ) from None
    for number, verdict in enumerate(data if isinstance(data, list) else [data]):
        if not isinstance(verdict, dict) or verdict.get("format") != FORMAT:
            raise NoVerdict(f"{path}: no verdict; give what 'tailgate gate --json' wrote")
        version, newest = verdict.get("version"), newest_version(SCHEMA)
        if type(version) is not int or not 1 <= version <= newest:
            raise ResultError(f"{path}: verdict version {version!r}, known are 1 to {newest}; use "
                              "the plots that came with the program")
        found = fault_of(verdict, SCHEMA) or impossible(verdict)
        if found:
            raise ResultError(f"{path}: verdict {number}: {found}; restore the file or judge again")
        yield Run(path, drawable_data(verdict))


def impossible(verdict):
    """A value in a well-formed verdict that no axis can show, or None."""
    for shift in verdict["shifts"]:
        if not 0 <= shift["quantile"] < 1:
            return f"a quantile is {shift['quantile']}, not between 0 and 1"
        if not all(shift.get(end, 1) > 0 for end in ("ratio", "low", "high")):
            return f"a ratio at quantile {shift['quantile']} is not above 0"
    below = [m["name"] for m in verdict["metrics"] if min(m["effect"], m["margin"]) <= -1 and
             quantile_of(m)]
    return f"the ratio of {below[0]} is not above 0" if below else None


def draw(run):
    """The plot of one verdict: its name and figure; None when no round was used."""
    verdict = run.data
    if not verdict["shifts"]:
        return None
    figure, [[shifts], [times]] = style.sheet(2, 1, (6.6, 2.9), words(verdict), sharex=True,
                                              gap_inches=(0.3, 0.25))
    draw_shifts(shifts, verdict)
    for side, name, line_style in zip("ab", side_names(verdict), SIDE_LINES):
        times.plot(*curve(run.histogram(verdict[f"response_{side}"])), label=name, **line_style)
    finish(shifts, times, verdict)
    return file_name(f"shift-{verdict['scenario']}@{verdict['sink']}"), figure


def side_names(verdict):
    names = [f"{side.upper()}: {verdict[side]}" for side in "ab"]
    if verdict["a_revision"] != verdict["b_revision"]:
        names = [f"{name} ({verdict[f'{side}_revision'][:10]})" for side, name in zip("ab", names)]
    return names


def words(verdict):
    title = (f"{verdict['outcome'].upper()}: {verdict['sink']} \u2013 {verdict['scenario']}, "
             f"{load_text(verdict['load'])}")
    subtitle = (f"{' against '.join(reversed(side_names(verdict)))}; {verdict['rounds_used']} of "
                f"{verdict['rounds_recorded']} rounds")
    if verdict["a_revision"] == verdict["b_revision"]:
        subtitle += f"; revision {verdict['a_revision'][:10]}"
    notes = [*(reason["what"] for reason in verdict["reasons"]),
             *(f"! {remark['what']}" for remark in verdict["remarks"])]
    return Caption(title, subtitle, verdict["label"], notes,
                   title_color=FAIL if verdict["outcome"] == "fail" else "black")


def place(quantile):
    return 1 / (1 - quantile)


def draw_shifts(panel, verdict):
    known = verdict["shifts"]
    panel.axhline(0, color="black", linewidth=0.8)
    panel.plot([place(s["quantile"]) for s in known], [math.log(s["ratio"]) for s in known],
               **SHIFT, linewidth=1, label="shift")
    for shift in known:
        if "low" in shift and "high" in shift:
            panel.vlines(place(shift["quantile"]), math.log(shift["low"]), math.log(shift["high"]),
                         color=SHIFT["color"], linewidth=1.2)
    for metric, quantile in gated(verdict):
        x, margin = place(quantile), math.log1p(metric["margin"])
        panel.plot([x / 1.35, x * 1.35], [margin, margin], **TOLERATED,
                   label=f"{metric['name']} margin")
        panel.plot([x], [math.log1p(metric["effect"])], **decided(metric["decision"]), zorder=3,
                   label=f"{metric['name']} {metric['decision']}")


def decided(decision):
    mark, color = MARKS[decision]
    return {"marker": mark, "color": color, "linestyle": "none",
            "markersize": 9 if decision == "fail" else 7}


def quantile_of(metric):
    """0.999 for response_ns_p99_9; None for a metric that is no quantile of the response time."""
    found = QUANTILE.fullmatch(metric["name"])
    return found and round(float(f"{found[1]}.{found[2] or 0}") / 100, 9)


def gated(verdict):
    """The gated metrics that are quantiles of the response time, with their quantiles."""
    return [(metric, quantile_of(metric)) for metric in verdict["metrics"]
            if quantile_of(metric) and metric["decision"] in MARKS]


def percent_text(log_ratio):
    percent = math.expm1(log_ratio) * 100
    if percent >= 900:
        return f"\u00d7{math.exp(log_ratio):.3g}"
    return f"{percent:+.3g} %".replace("-", "\u2212") if abs(percent) >= 1e-9 else "0 %"


def percent_steps(low, high):
    """Positions of ticks from low to high (logarithms of ratios) that are round in percent."""
    span = max(abs(math.expm1(low)), abs(math.expm1(high)))
    step = next((s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
                 if span / s <= 5), span)
    counts = range(math.ceil(math.expm1(low) / step), math.floor(math.expm1(high) / step) + 1)
    return [math.log1p(count * step) for count in counts]


def shift_range(verdict):
    """The range of shifts to show: all of the gated quantiles, and of the others as much as keeps
    the gated ones readable. The interval of a rare quantile can be many times as wide."""
    known = [math.log(s[end]) for s in verdict["shifts"] for end in ("ratio", "low", "high")
             if end in s]
    decided = [math.log1p(metric[value]) for metric, _ in gated(verdict)
               for value in ("effect", "margin")]
    most = 2 * max(map(abs, decided or known))
    low = min(0, *decided, *(max(value, -most) for value in known))
    high = max(0, *decided, *(min(value, most) for value in known))
    room = 0.08 * (high - low) or 0.01
    return low - room, high + room


def mark_cut_ends(panel, verdict, low, high):
    """Draws a triangle at the edge where an interval or a shift continues beyond it."""
    beyond = [(shift, end) for shift in verdict["shifts"] for end in ("ratio", "low", "high")
              if end in shift and not low <= math.log(shift[end]) <= high]
    for shift, end in beyond:
        above = shift[end] > 1
        panel.plot([place(shift["quantile"])], [high if above else low], linestyle="none",
                   marker="^" if above else "v", markersize=6, color=SHIFT["color"],
                   clip_on=False, label="cut")
    return bool(beyond)


def finish(shifts, times, verdict):
    low, high = shift_range(verdict)
    steps = percent_steps(low, high)
    shifts.set(ylim=(low, high), ylabel="B against A (up = slower)")
    cut = mark_cut_ends(shifts, verdict, low, high)
    style.ticks(shifts.yaxis, steps, [percent_text(step) for step in steps])
    style.legend(shifts, [
        style.handle("shift, 95 % interval", **SHIFT),
        *(style.handle(f"gated: {decision}", **decided(decision)) for decision in MARKS
          if any(metric["decision"] == decision for metric, _ in gated(verdict))),
        *([style.handle("tolerated at most", **TOLERATED)] if gated(verdict) else []),
        *([style.handle("continues beyond the edge", color=SHIFT["color"], marker="^",
                        linestyle="none")] if cut else [])])
    highest = max(verdict[f"response_{side}"]["count"] for side in "ab")
    values = [value for line in times.lines for value in line.get_ydata()]
    style.log_axis(times.yaxis, min(values) / 1.4, max(values) * 1.4)
    times.set(xscale="log", xlim=(1, max(100, highest) * 1.15), xlabel="percentile of events",
              ylabel="response time (logarithmic)")
    places, texts = percent_ticks(highest)
    shown = [(p, t) for p, t in zip(places, texts) if p <= max(100, highest) * 1.15]
    style.ticks(times.xaxis, *zip(*shown))
    style.legend(times, [style.handle(name, **line_style)
                         for name, line_style in zip(side_names(verdict), SIDE_LINES)])


def main(arguments=None):
    """Draws every verdict in the files. Its exit status is that of the other plots."""
    parser = argparse.ArgumentParser(
        prog="shift.py", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=filled(__doc__),
        epilog="Examples:\n  tailgate gate duet.json --json verdict.json\n"
               "  shift.py verdict.json            PNG and SVG beside the verdict")
    parser.add_argument("verdicts", nargs="+", type=pathlib.Path, metavar="FILE",
                        help="what 'tailgate gate --json' wrote")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR",
                        help="where the plots go (default: the folder of the first file)")
    options = parser.parse_args(arguments)
    folder = options.out or options.verdicts[0].parent
    figures = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        runs = [run for path in options.verdicts for run in load(path)]
        for drawn in filter(None, map(draw, runs)):
            name, figure = drawn
            figures += 1
            number = f"-{figures}" if len(runs) > 1 else ""
            for suffix in ("png", "svg"):
                path = folder / f"{name}{number}.{suffix}"
                style.save(figure, path)
                say(path)
    except ResultError as error:
        tell(f"error: {error}")
        raise SystemExit(2) from None
    except OSError as error:
        tell(f"error: {unwritable(error)}")
        raise SystemExit(2) from None
    if not figures:
        tell("skipped: no verdict has a round to show")
    raise SystemExit(0 if figures else 1)


if __name__ == "__main__":
    main()
