"""The part of a report that shows what the history found: levels that changed, and since when."""
from report_page import Cell, paragraph, section, table

TITLES = ("Found", "Course", "State", "Sink", "Scenario", "Metric", "Change", "Between nights",
          "Between revisions", "Events of the machine", "Reason")


# Of the findings that wait for a decision, how many are drawn, and how many series of each.
MOST_DRAWN, MOST_SERIES = 6, 3


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
            Cell("; ".join(events)), Cell(finding["reason"])]
