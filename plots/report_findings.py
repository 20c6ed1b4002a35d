"""The parts of a report that show a history: levels that changed, and since when; what the time
consisted of, night by night."""
import csv
import io
import statistics

import nights_parts
from report_page import Cell, download, folded, paragraph, section, table
from units import format_ns

TITLES = ("Found", "Course", "State", "Sink", "Scenario", "Metric", "Change", "Between nights",
          "Between revisions", "Machines", "Events of the machine", "Reason")


# Of the findings that wait for a decision, how many are drawn, and how many series of each.
MOST_DRAWN, MOST_SERIES = 6, 3
# Of the figures of causes and roles, how many are shown without a click.
MOST_OPEN = 6


def waits(finding):
    """Whether somebody has to decide what becomes of it."""
    return finding["state"] == "open" and finding["course"] != "better"


def section_of_findings(findings, figures=()):
    """findings: what `tailgate history findings --all --json` prints. figures: HTML."""
    if not findings:
        return section("history", "History", paragraph("No level changed in these nights."))
    rows, quiet = [], []
    for finding in findings:
        for series in finding["series"]:
            rows.append(row(finding, series))
            quiet.append(not waits(finding))
    return section("history", "History", table(
        "Levels that changed, against the nights' reference", TITLES, rows, quiet=quiet,
        quiet_words="that wait for no decision"), *figures)


def row(finding, series):
    events = [f"{event['night']}: {event['machine']}: "
              f"{', '.join(map(str, event['changes']))}" for event in finding["events"]]
    course = finding["course"] + (" (creep)" if finding["is_creep"] else "")
    return [Cell(finding["found_night"]), Cell(course), Cell(finding["state"]),
            Cell(series["sink"]), Cell(series["scenario"]), Cell(series["metric"]),
            Cell(f"{series['change_percent']:+.3g} %", series["change_percent"]),
            Cell(f"{series['last_before']} to {series['first_after']}"),
            Cell(f"{finding['revision_before'][:10]}..{finding['revision_after'][:10]}"),
            Cell(finding.get("machines_text", "")), Cell("; ".join(events)),
            Cell(finding["reason"])]


FLEET_TITLES = ("Machine", "Group", "Sink", "Scenario", "Load", "Role", "Metric",
                "Against its group", "Of it new")


def section_of_fleet(groups):
    """groups: what `tailgate history fleet --json` prints. Nothing where no group is judged."""
    judged = [group for group in groups if group["is_judged"]]
    rows = [fleet_row(group, drift) for group in judged for drift in group["drifting"]]
    if rows:
        yield section("fleet", "Machines apart from their group", table(
            "Last nights' times against the median of machines of the same kind", FLEET_TITLES,
            rows))
    elif judged:
        machines = sum(len(group["machines"]) for group in judged)
        yield section("fleet", "Machines", paragraph(
            f"None of {machines} machines is apart from its group."))


def fleet_row(group, drift):
    return [Cell(drift["machine"]), Cell(group["fingerprint"]), Cell(drift["sink"]),
            Cell(drift["scenario"]), Cell(drift["load"]), Cell(drift["part"]),
            Cell(drift["metric"]), percent_cell(drift["level_percent"], "+.3g"),
            percent_cell(drift["change_percent"] if drift["is_new"] else None, "+.3g")]


LEAST_SHARE_PERCENT = 1  # of the whole; smaller parts are shown on request
PART_TITLES = ("Sink", "Scenario", "Load", "Time", "Part", "Last night", "Nights before, median",
               "Change", "Share of the whole")


def section_of_parts(figures, drawn):
    """figures: what nights_parts.by_identity() returns. drawn: HTML."""
    rows = [row for identity, shown in figures.items()
            for kind, nights in shown for row in part_rows(identity, kind, nights)]
    small = [(row[-1].number or 0) < LEAST_SHARE_PERCENT for row in rows]
    if len(drawn) > MOST_OPEN:
        drawn = [folded(f"Figures of {len(drawn)} sinks and loads", *drawn)]
    return section("parts", "Causes and roles", *drawn, table(
        "The last night's times against those of the nights before", PART_TITLES, rows,
        quiet=small, quiet_words=f"below {LEAST_SHARE_PERCENT} % of the whole"),
        download(parts_csv(figures), "causes-and-roles.csv"))


def part_rows(identity, kind, nights):
    """A row for each part of the last night and of those before it."""
    _, scenario, _, sink, load = identity
    *earlier, last = nights.values()
    whole = sum(last.values())
    for part in sorted({part for parts in nights.values() for part in parts}):
        now = last.get(part, 0.0)
        before = statistics.median(parts.get(part, 0.0) for parts in earlier) if earlier else None
        share = 100 * now / whole if whole > 0 else None
        yield [Cell(sink), Cell(scenario), Cell(load), Cell(kind.title),
               Cell(nights_parts.words_of(part)), time_cell(now), time_cell(before),
               percent_cell(100 * (now / before - 1) if before and before > 0 else None, "+.3g"),
               percent_cell(share, ".3g")]


def time_cell(time):
    if time is None:
        return Cell("\u2013")
    return Cell(("\u2212" if time < 0 else "") + format_ns(abs(time)), time)


def percent_cell(percent, form):
    return Cell("\u2013") if percent is None else Cell(f"{percent:{form}} %", percent)


def parts_csv(figures):
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([*nights_parts.IDENTITY, "time", "night", "part", "ns"])
    for identity, shown in figures.items():
        for kind, nights in shown:
            for night, parts in nights.items():
                rows.writerows([*identity, kind.title, night, part, time]
                               for part, time in sorted(parts.items()))
    return text.getvalue()
