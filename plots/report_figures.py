"""The table of a report with all figures: a row for each sink and load."""
from caption import Part, load_text, names
from overhead import TOTAL
from report_page import Cell, section, table
from units import format_ns

TITLES = ("Sink", "Scenario", "Load", "p50", "p99", "p99.9", "Maximum", "Lost", "CPU an event",
          "Remarks")
# The share of the events beyond a quantile: without an event there, the quantile is no figure.
QUANTILES = (("p50_ns", 0.5), ("p99_ns", 0.01), ("p99_9_ns", 0.001), ("max_ns", 0.0))
BUSY_SHARE = 0.05  # as kBusyShare of harness/result/step_facts.h


def table_of_figures(runs):
    """runs: in the order of the page's scenarios."""
    scenarios = list(dict.fromkeys(run.scenario for run in runs))
    named = zip(runs, names(runs, [run.scenario for run in runs]))
    parts = [Part(run, name, step) for run, name in named for step in run.data["summary"]]
    parts.sort(key=lambda part: (scenarios.index(part.run.scenario), -part.step["rate_hz"],
                                 part.p99_ns))
    return section("figures", "All figures", table(
        "Response times count from when a call was due", TITLES, [row(part) for part in parts]))


def row(part):
    load = part.load
    threads = f", {load['threads']} threads" if load and load["threads"] > 1 else ""
    return [Cell(part.name), Cell(part.run.scenario),
            Cell(load_text(load) + threads if load else "", part.step["rate_hz"], ""),
            *(quantile(part.step["response"], field, beyond) for field, beyond in QUANTILES),
            lost(part), processor_time(part.step), Cell(", ".join(remarks(part)))]


def quantile(latency, field, beyond):
    if latency["count"] * beyond < 1 and beyond or not latency["count"]:
        return Cell("–")
    return Cell((">" if field == "max_ns" and latency["overflow"] else "")
                + format_ns(latency[field]), latency[field])


def lost(part):
    if not any(trial["ledger"]["checked"] for trial in part.trials):
        return Cell("not read back")
    share = part.lost_share
    marks = [mark.removeprefix("lost ") for mark in part.marks if mark.startswith("lost ")]
    return Cell(*marks or "0", share, "number fail" if share else "number")


def processor_time(step):
    """Of the whole machine, less that of the same load without logging."""
    for role in step.get("overhead", []):
        estimate = role.get("cpu_ns_per_event")
        if role["role"] == TOTAL and estimate:
            sign = "−" if estimate["mean"] < 0 else ""
            return Cell(sign + format_ns(abs(estimate["mean"])), estimate["mean"])
    return Cell("–")


def remarks(part):
    busy = sum(trial["noise"]["lost_share"] > BUSY_SHARE for trial in part.trials)
    return [*(mark for mark in part.marks if not mark.startswith("lost ")),
            *([f"machine busy: {busy} of {len(part.trials)} trials"] if busy else [])]
