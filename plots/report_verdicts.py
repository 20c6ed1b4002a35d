"""The part of a report that shows what the gate decided: what got worse first."""
from caption import load_text
from report_difference import difference_of
from report_page import Cell, bullets, folded, paragraph, section, table, warning
from units import format_ns

# A narrow window shows the first columns only.
TITLES = ("Metric", "Sink", "Decision", "Change", "Tolerated", "95 % interval", "A", "B",
          "Scenario", "Reason")
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
    if outcome == "pass":
        return f"PASS{among}: {MEANINGS[outcome]}"
    what = "; ".join(f"{v['sink']} ({v['scenario']})" for v in chosen)
    reasons = {reason["what"] for verdict in chosen for reason in verdict["reasons"]}
    reason = without_stop(reasons.pop()) if len(reasons) == 1 else MEANINGS[outcome]
    return f"{outcome.upper()}{among}: {what}: {reason}"


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
    """An effect or a margin: a ratio in percent or, if large, as a factor; a difference with its
    unit."""
    if field not in metric:
        return "\u2013"
    value = metric[field]
    sign = "" if field == "margin" else "+" if value > 0 else "\u2212" if value < 0 else ""
    if metric["effect_kind"] == "ratio":
        if value >= 9:
            return f"\u00d7{1 + value:.3g}"
        return f"{sign}{abs(100 * value):.3g} %"
    return sign + size_text(abs(value), metric["unit"])


def size_text(value, unit):
    """A value with four digits and its unit, durations as people read them."""
    if unit == "ns":
        return ("\u2212" if value < 0 else "") + format_ns(abs(value), 4)
    return f"{float(f'{value:.4g}'):,.10g} {unit}".rstrip()


def section_of(verdicts, figures):
    """figures: the plot of each verdict as HTML."""
    judged = sorted(zip(verdicts, figures), key=lambda one: OUTCOMES.index(one[0]["outcome"]))
    rows = [(verdict, metric) for verdict, _ in judged for metric in verdict["metrics"]]
    rows.sort(key=lambda one: one[1]["decision"] != "fail")
    return section(
        "verdicts", "Verdicts", *outcomes([verdict for verdict, _ in judged]),
        table("Every metric of every duet", TITLES, [row(*one) for one in rows],
              quiet=[metric["decision"] not in ("fail", "undecided") for _, metric in rows],
              quiet_words="that did not fail"),
        difference_of([verdict for verdict, _ in judged]),
        *(figure for _, figure in judged))


def outcomes(verdicts):
    """Each duet's outcome. Several that pass without an improvement fold into one line, which comes
    last."""
    passed = [one for one in verdicts if one["outcome"] == "pass" and not has_improved(one)]
    if len(passed) < 2:
        return [what_came_out(verdict) for verdict in verdicts]
    others = [what_came_out(verdict) for verdict in verdicts if verdict not in passed]
    return [*others, folded(f"PASS: {len(passed)} duets", *map(what_came_out, passed))]


def has_improved(verdict):
    """Whether a gated ratio is below its margin's inverse: add_improvement_remarks() of
    harness/gate/gate.cpp then asks whether B leaves work out."""
    return any(metric["effect_kind"] == "ratio" and is_gated(metric) and metric["margin"] > 0 and
               metric.get("effect_high", 0) < 1 / (1 + metric["margin"]) - 1
               for metric in verdict["metrics"])


def is_gated(metric):
    return metric["decision"] not in ("unmeasured", "reported")


def what_came_out(verdict):
    """The outcome of one duet, why, what to do, and what a reader must know besides."""
    duet = f"{verdict['outcome'].upper()}: {verdict['sink']}, {verdict['scenario']}"
    remarks = "".join(warning(words_of(remark)) for remark in verdict["remarks"])
    if not verdict["rounds_recorded"]:  # so nothing is known of load and builds
        return why(f"{duet}.", verdict["reasons"]) + remarks
    sides = ", ".join(f"{side.upper()}: {side_text(verdict, side)}" for side in "ab")
    return "".join([
        why(f"{duet}, {load_text(verdict['load'])}.", verdict["reasons"]),
        paragraph(f"{sides}. {verdict['rounds_used']} of {verdict['rounds_recorded']} rounds; "
                  f"policy: {verdict['policy']}."), remarks])


def why(outcome, reasons):
    """One reason in a sentence, several as a list. A remedy of all of them is said once."""
    if len(reasons) < 2:
        return paragraph(" ".join([outcome, *(sentence(words_of(one)) for one in reasons)]))
    shared = reasons[0]["remedy"] if len({one["remedy"] for one in reasons}) == 1 else ""
    listed = [{**one, "remedy": ""} for one in reasons] if shared else reasons
    return "".join([paragraph(outcome), bullets(sentence(words_of(one)) for one in listed),
                    paragraph(todo(shared)) if shared else ""])


def sentence(words):
    """A metric's name at its start stays as it is."""
    return words if "_" in words.split(" ")[0] else words[:1].upper() + words[1:]


def side_text(verdict, side):
    """What the side is called, and its revision, if that is not its name."""
    revision = verdict[f"{side}_revision"][:10]
    return revision if verdict[side] == revision else f"{verdict[side]} of {revision}"


def words_of(remark):
    words = without_stop(remark["what"]) + "."
    return f"{words} {todo(remark['remedy'])}" if remark["remedy"] else words


def todo(remedy):
    return f"To do: {without_stop(remedy)}."


def without_stop(words):
    return words.rstrip(".")


def row(verdict, metric):
    measured = metric["decision"] != "unmeasured"
    interval = " to ".join(amount(metric, f"effect_{end}") for end in ("low", "high"))
    waiver = [metric["waiver"]] if metric["waiver"] else []
    return [Cell(metric["name"]), Cell(verdict["sink"]),
            Cell(metric["decision"], mark=metric["decision"]),
            Cell(amount(metric, "effect"), metric["effect"]) if measured else Cell("\u2013"),
            Cell(amount(metric, "margin") if is_gated(metric) else "not gated"),
            Cell(interval if "effect_low" in metric or "effect_high" in metric else "\u2013",
                 mark="number"),
            *(Cell(size_text(metric[f"median_{side}"], metric["unit"]),
                   metric[f"median_{side}"]) if measured else Cell("\u2013") for side in "ab"),
            Cell(verdict["scenario"]), Cell("; ".join([metric["reason"], *waiver]))]
