#!/usr/bin/env python3
"""Capacity: up to which rate does each sink hold the service level, and what fails above it?"""
from collections import Counter, namedtuple

import answers
import style
import units
from answers import figures, option

ROW_INCHES = 0.38
HELD = {"marker": "o", "color": "#0072B2", "linestyle": "none", "markersize": 7}
SOME = {"marker": "D", "color": "#808080", "linestyle": "none", "markersize": 6}
MISSED = {"marker": "X", "color": "#CC0000", "linestyle": "none", "markersize": 7}
BRACKET = {"color": "#b8d8ee", "linewidth": 9, "solid_capstyle": "butt"}
IN_ALL, IN_SOME, IN_NONE = "held in all trials", "held in some", "held in none"
BY_MACHINE = "rate missed by the machine's fault"

# A search for the capacity: of a run, with some (threads, processes).
Search = namedtuple("Search", "run name writers figure")


def draw(runs, options):
    del options  # there is nothing to choose
    named = answers.answered(runs, "capacity")
    searches = sorted((search for run, name in named for search in searches_of(run, name)),
                      key=lambda search: -capacity_hz(search))
    figure, [[panel]] = style.sheet(1, 1, (5.6, ROW_INCHES * (len(searches) + 0.6)),
                                    words(runs, named))
    drawn = Counter()
    for row, search in enumerate(searches):
        drawn += draw_row(panel, row, search)
    finish(panel, searches)
    style.legend_above(panel, [
        *(style.handle(text, **look) for text, look in (
            (IN_ALL, HELD), (IN_SOME, SOME), (IN_NONE, MISSED)) if drawn[text]),
        *([style.handle("the answer is between", **BRACKET)] if drawn["bracket"] else [])])
    yield answers.plot_name("capacity", runs), figure


def level_ns(run):
    """The p99.9 that the run's service level allows; None in a file that does not say."""
    try:
        return 1e6 * float(option(run, "level_p99_9_ms"))
    except ValueError:
        return None


def words(runs, named):
    levels = {level_ns(run) for run, _ in named} - {None}
    level = f"a p99.9 of {units.format_ns(levels.pop())}" if len(levels) == 1 else "its level"
    return answers.words(
        f"Up to which rate does each sink hold {level} and lose nothing?", runs, named,
        more=["The rate itself must be held within 1 %. The highest is on top."])


def writers_of(trial):
    """(threads of each process, processes)."""
    processes = trial["load"].get("processes", 1)
    return trial["load"]["threads"] // processes, processes


def searches_of(run, name):
    """A search for each number of threads or processes that was tried, in their order."""
    tried = list(dict.fromkeys(writers_of(trial) for trial in run.data["trials"]))
    for writers in tried:
        threads, processes = writers
        words_of = f"{processes} processes" if processes > 1 else f"{threads} threads"
        key = f"processes_{processes}" if processes > 1 else f"threads_{threads}"
        yield Search(run, f"{name}, {words_of}" if len(tried) > 1 and max(writers) > 1 else name,
                     writers, "capacity_hz" if writers == tried[0] else f"{key}_capacity_hz")


def capacity_hz(search):
    return figures(search.run).get(search.figure, {"value": 0})["value"]


def miss_of(trial, most_ns):
    """Why a trial does not hold the level; empty if it does (as scenarios/capacity.cpp says it)."""
    ledger = trial["ledger"]
    if trial["outcome"] == "unchecked" or ledger["unaccounted_cause"]:
        return "events not read back"
    if trial["outcome"] != "completed" or not trial["response"]["count"]:
        return "trial failed"
    if ledger["lost"] or (ledger["checked"] and ledger["unaccounted"]):
        return "events lost"
    if trial["rate_missed"]:
        return BY_MACHINE if trial.get("missed_by_machine") else "rate missed"
    too_long = most_ns is not None and trial["response"]["p99_9_ns"] > most_ns
    return "p99.9 too long" if too_long else ""


def misses(search):
    """Why the trials missed the level, by rate: {rate: [reason or empty]}."""
    most_ns = level_ns(search.run)
    tried = answers.by_step(search.run, lambda trial: (trial["load"]["rate_hz"],
                                                       writers_of(trial)))
    return {rate: [miss_of(trial, most_ns) for trial in trials]
            for (rate, writers), trials in tried.items() if writers == search.writers}


def draw_row(panel, row, search):
    """A mark for each rate that was tried; returns which were drawn."""
    drawn, name = Counter(), search.name
    answer = figures(search.run).get(search.figure, {})
    if "low" in answer and "high" in answer:
        panel.plot([answer["low"], answer["high"]], [row, row], label=f"{name} between", zorder=1,
                   **BRACKET)
        drawn["bracket"] += 1
    for rate, reasons in misses(search).items():
        held = reasons.count("")
        text, look = ((IN_ALL, HELD) if held == len(reasons) else
                      (IN_SOME, SOME) if held else (IN_NONE, MISSED))
        drawn[text] += 1
        panel.plot([rate], [row], label=f"{name} {text}", zorder=3, **look)
        if text == IN_SOME:
            panel.annotate(f"{held}/{len(reasons)}", (rate, row), xytext=(0, 5), ha="center",
                           textcoords="offset points", va="bottom", size=7)
    return drawn


def rate_facts(search):
    """The texts beside a row: the rate that is held, from where to where it may be, and what failed
    above it."""
    answer = figures(search.run).get(search.figure)
    if not answer:
        complete = search.run.data["complete"]
        return ["none" if complete else "not found", "", failing(search, None)]
    low, high = answer.get("low"), answer.get("high")
    between = f"{units.format_rate(low)}\u2013{units.format_rate(high)}" if low and high else ""
    bound = "" if high else "\u2265 "
    return [bound + units.format_rate(answer["value"]), between, failing(search, high)]


def failing(search, rate_hz):
    """What the trials at this rate missed, or those of the lowest rate where none is given."""
    tried = misses(search)
    near = [rate for rate in tried if rate_hz and abs(rate - rate_hz) <= 1e-3 * rate_hz]
    if not near and any("" in reasons for reasons in tried.values()):
        return ""
    count = Counter(filter(None, tried[near[0] if near else min(tried)]))
    return ", ".join(f"{reason} in {number}" for reason, number in count.most_common())


def finish(panel, searches):
    rates = [rate for search in searches for rate in misses(search)]
    style.log_axis(panel.xaxis, min(rates) / 1.5, max(rates) * 1.5, units.format_rate)
    style.ticks(panel.yaxis, range(len(searches)), [search.name for search in searches])
    panel.set(ylim=(len(searches) - 0.4, -0.6), xlabel="target rate (events/s)")
    style.table(panel, [("holds up to", "black"), ("between", "black"), ("", "black")],
                [rate_facts(search) for search in searches], range(len(searches)),
                column_inches=0.95)
    panel.annotate("above it", (1, 1), xycoords="axes fraction", va="bottom", size=8.5,
                   weight="bold", textcoords="offset points", xytext=(72 * (0.12 + 2 * 0.95), 4))


if __name__ == "__main__":
    import command
    command.main({"capacity": draw})
