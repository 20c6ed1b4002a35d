"""The part of a report that shows what the gate decided: what got worse first."""
from caption import load_text
from report_page import Cell, paragraph, section, table

TITLES = ("Sink", "Scenario", "Metric", "Change", "95 % interval", "Tolerated", "Decision",
          "Reason")
# The worst first: the outcome of several verdicts is the first that one of them has.
OUTCOMES = ("fail", "invalid", "inconclusive", "pass")
MEANINGS = {
    "invalid": "the duet may not be judged",
    "inconclusive": "not enough rounds to decide",
    "pass": "nothing got worse by more than is tolerated",
}


def headline(verdicts):
    """One sentence: the outcome, and what got worse by how much."""
    outcome = next(one for one in OUTCOMES if any(v["outcome"] == one for v in verdicts))
    chosen = [verdict for verdict in verdicts if verdict["outcome"] == outcome]
    among = f" in {len(chosen)} of {len(verdicts)} duets" if len(verdicts) > 1 else ""
    if outcome == "fail":
        return f"FAIL{among}: {worst(chosen)}"
    what = "; ".join(f"{v['sink']} ({v['scenario']})" for v in chosen) if outcome != "pass" else ""
    return f"{outcome.upper()}{among}: {what + ': ' if what else ''}{MEANINGS[outcome]}"


def worst(verdicts):
    """What got worse most, against what is tolerated, and how many other metrics failed."""
    failed = [(verdict, metric) for verdict in verdicts for metric in verdict["metrics"]
              if metric["decision"] == "fail"]
    if not failed:
        verdict = verdicts[0]
        reasons = " ".join(reason["what"] for reason in verdict["reasons"])
        return f"{verdict['sink']}, {verdict['scenario']}: {reasons}"
    verdict, metric = max(failed, key=lambda one: one[1]["effect"] / (one[1]["margin"] or 1e-9))
    more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
    return (f"{verdict['sink']}, {verdict['scenario']}: {metric['name']} "
            f"{amount(metric, 'effect')}, tolerated {amount(metric, 'margin')}{more}")


def amount(metric, field):
    """An effect or a margin: a ratio in percent, a difference with its unit."""
    if field not in metric:
        return "–"
    value = metric[field]
    sign = "" if field == "margin" else "+" if value > 0 else "−" if value < 0 else ""
    if metric["effect_kind"] == "ratio":
        return f"{sign}{abs(100 * value):.3g} %"
    return f"{sign}{abs(value):.4g} {metric['unit']}".rstrip()


def section_of(verdicts, figures):
    """figures: the plot of each verdict as HTML."""
    order = sorted(range(len(verdicts)), key=lambda i: OUTCOMES.index(verdicts[i]["outcome"]))
    rows, quiet = [], []
    for verdict in (verdicts[i] for i in order):
        for metric in verdict["metrics"]:
            rows.append(row(verdict, metric))
            quiet.append(metric["decision"] in ("pass", "reported", "unmeasured"))
    parts = [paragraph(sentence(verdicts[i])) for i in order]
    parts.append(table("Every metric of every duet", TITLES, rows, quiet=quiet))
    parts += [figures[i] for i in order]
    return section("verdicts", "Verdicts", *parts)


def sentence(verdict):
    """The outcome of one duet with its reasons."""
    reasons = " ".join(reason["what"].rstrip(".") + "." for reason in verdict["reasons"])
    return (f"{verdict['outcome'].upper()}: {verdict['sink']}, {verdict['scenario']}, "
            f"{load_text(verdict['load'])}. {reasons}")


def row(verdict, metric):
    low, high = amount(metric, "effect_low"), amount(metric, "effect_high")
    return [Cell(verdict["sink"]), Cell(verdict["scenario"]), Cell(metric["name"]),
            Cell(amount(metric, "effect"), metric["effect"]), Cell(f"{low} to {high}"),
            Cell(amount(metric, "margin") if metric["margin"] else "not gated"),
            Cell(metric["decision"], mark=metric["decision"]), Cell(metric["reason"])]
