"""The table of a report with all figures: a row for each sink and load."""
from collections import Counter

import answers
from caption import Part, load_text, names, percent_text
from overhead import TOTAL
from report_page import Cell, paragraph, section, table
from units import format_ns, format_rate

TITLES = ("Sink", "Scenario", "Load", "Reached", "p50", "p99", "p99.9", "Maximum", "Lost",
          "CPU an event", "Trials", "Remarks")
MEANING = ("p99: 99 % of the calls returned within this time, counted from when a call was due; in "
           "a closed loop (maximum rate), which has no such time, from its start. CPU an event: "
           "the processor time that one event costs the program's threads, the daemons and the "
           "kernel, above that of the same load without logging.")
# The share of the events beyond a quantile: without an event there, the quantile is no figure.
QUANTILES = (("p50_ns", 0.5), ("p99_ns", 0.01), ("p99_9_ns", 0.001), ("max_ns", 0.0))
BUSY_SHARE = 0.05  # as kBusyShare of harness/result/step_facts.h


def tables_of_figures(runs):
    """A section with the steps of all runs that only measure; none if there is none. runs: in the
    order of the page's scenarios."""
    runs = [run for run in runs if not answers.question_of(run)]
    scenarios = list(dict.fromkeys(run.scenario for run in runs))
    named = zip(runs, names(runs, [run.scenario for run in runs]))
    parts = [Part(run, name, step) for run, name in named for step in run.data["summary"]]
    parts.sort(key=lambda part: (scenarios.index(part.run.scenario), -part.step["rate_hz"],
                                 not part.has_times, part.p99_ns))
    if parts:
        yield section("figures", "All figures", paragraph(MEANING), table(
            "Every sink under every load", TITLES, [row(part) for part in parts]))


def row(part):
    load = part.load
    rate_hz = part.step["rate_hz"]
    return [Cell(part.name), Cell(part.run.scenario),
            Cell(load_words(load), rate_hz or None, ""),
            Cell(f"{format_rate(part.step['achieved_rate_hz'])}/s", part.step["achieved_rate_hz"]),
            *(quantile(part, field, beyond) for field, beyond in QUANTILES),
            lost(part), processor_time(part.step),
            Cell(str(part.step["trials"]), part.step["trials"]), Cell(", ".join(remarks(part)))]


def load_words(load):
    if not load:
        return ""
    return f"{load_text(load)}, {load['payload']} B{writer_words(load)}"


def writer_words(load):
    """A load's threads, processes and sessions, where there are several, as load_words.cpp says
    them."""
    processes = load.get("processes", 1)
    text = f", {load['threads']} threads" if load["threads"] > processes else ""
    if processes > 1:
        text += f"{' in' if text else ','} {processes} processes"
    return text + (f", {load['sessions']} sessions" if load.get("sessions", 1) > 1 else "")


def quantile(part, field, beyond):
    latency = part.step["response"]
    if not part.has_times or beyond and latency["count"] * beyond < 1:
        return Cell("\u2013")
    return Cell((">" if field == "max_ns" and latency["overflow"] else "")
                + format_ns(latency[field]), latency[field])


def lost(part):
    trials = part.run.trials(part.step["step"])
    unread = sum(not trial["ledger"]["checked"] for trial in trials)
    if unread:
        some = f": {unread} of {len(trials)} trials" if unread < len(trials) else ""
        return Cell(f"not read back{some}")
    share = part.lost_share
    return Cell(percent_text(share) if share else "0", share, "number fail" if share else "number")


def processor_time(step):
    for role in step.get("overhead", []):
        estimate = role.get("cpu_ns_per_event")
        if role["role"] == TOTAL and estimate:
            sign = "\u2212" if estimate["mean"] < 0 else ""
            return Cell(sign + format_ns(abs(estimate["mean"])), estimate["mean"])
    return Cell("\u2013")


def remarks(part):
    trials = part.run.trials(part.step["step"])
    busy = sum(trial["noise"]["lost_share"] > BUSY_SHARE for trial in trials)
    failed = Counter(trial["outcome"] for trial in trials if trial["outcome"] != "completed")
    of_all = f"of {len(trials)} trials"
    return [*(mark for mark in part.marks if not mark.startswith("lost ")),
            *(f"{outcome}: {count} {of_all}" for outcome, count in failed.items()),
            *([f"machine busy: {busy} {of_all}"] if busy else []),
            *([] if part.run.data["complete"] else ["ended before its last trial"])]
