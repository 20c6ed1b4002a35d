"""What an explanation says, held against what was planted. Pure functions of the files' JSON."""

import dataclasses
import math
import statistics

TOLERANCE = 0.10  # of the planted amount, and of the whole that the parts add up to
SLOW_SHARE = 0.01  # a call in a hundred is a slow one
LEAST_SHARE_OF_MEMORY = 0.01  # below it a difference is not shown, …
FIRST_SHARE_OF_MEMORY = 0.05  # … from this on before times
NAMELESS = ("unknown", "untraced")


@dataclasses.dataclass
class Judgement:
    named: bool                # the first line is what was planted; of nothing: there is none
    first: str                 # that line
    found_ns: float = None     # of the planted part, of a run its excess; None: it is no time
    whole_ns: float = None     # what it is a part of
    agrees: bool = None        # found is planted_ns, within the tolerance; None: that is not known
    adds_up: bool = None       # parts with a name add up to the whole, likewise


def matches(case, cause, name):
    return cause in case.causes and (not case.names or any(part in name for part in case.names))


def brief(name):
    """A function's name without its arguments."""
    return name.replace("(anonymous namespace)::", "").split("(")[0]


def words(part):
    caller = f", from {brief(part['caller'])}" if part.get("caller") else ""
    return f"{part['cause']} {brief(part['name'])}".strip() + caller


def differs(total):
    """Whether the text shows this sum (harness/report/difference_text.cpp)."""
    apart = "low_ns" in total and (total["low_ns"] > 0 or total["high_ns"] < 0)
    return apart or any(part["distinct"] for part in total["parts"])


def weight(total):
    return abs(total["difference_ns"]) * (SLOW_SHARE if total["measure"] == "slow_call" else 1)


def amounts_of(difference):
    """Sums of amounts, with the fields' names that sums of times have."""
    return [renamed(total) | {"parts": [renamed(part) for part in total["parts"]]}
            for total in difference.get("amounts", [])]


def is_shown(total, share=LEAST_SHARE_OF_MEMORY):
    """A few pages of memory can be distinct, and mean nothing: the text leaves them out."""
    return total["measure"] != "memory" or abs(total["difference_ns"]) >= share * total["a"]


def renamed(figures):
    return figures | {f"{name}_ns": figures[name] for name in ("difference", "low", "high")
                      if name in figures}


def first_part(difference):
    """The line that the text shows first below a sum; None where no sum differs."""
    # Allocations follow their memory.
    amounts = [total for total in amounts_of(difference)
               if differs(total) and is_shown(total) and total["measure"] != "allocated"]
    first = [total for total in amounts if is_shown(total, FIRST_SHARE_OF_MEMORY)]
    times = sorted(filter(differs, difference["sums"]), key=weight, reverse=True)
    shown = first + times + amounts
    return shown[0]["parts"][0] if shown else None


def sum_adds_up(total):
    """Whether what has a name is the whole, but for a tenth."""
    rest = sum(part["difference_ns"] for part in total["parts"]
               if part["cause"] in ("rest", *NAMELESS))
    return abs(rest) <= TOLERANCE * abs(total["difference_ns"])


def judge_nothing(difference):
    amounts = filter(is_shown, amounts_of(difference))
    distinct = [(total, part) for total in [*amounts, *difference["sums"]]
                for part in total["parts"] if part["distinct"]]
    if not distinct:
        return Judgement(True, "nothing is distinct")
    total, part = distinct[0]
    return Judgement(False, f"{words(part)} in {total['measure']}", part["difference_ns"],
                     total["difference_ns"])


def judge_duet(case, difference):
    """Of a duet's `difference`."""
    if not case.causes:
        return judge_nothing(difference)
    first = first_part(difference)
    if first is None:
        return Judgement(False, "no difference is larger than chance")
    said = Judgement(matches(case, first["cause"], first["name"]), words(first))
    # In the sum that the case is about; else in the heaviest one that has the part.
    sums = amounts_of(difference) + sorted(difference["sums"], key=weight, reverse=True)
    for total in (each for each in sums if case.measure in ("", each["measure"])):
        parts = [part for part in total["parts"] if matches(case, part["cause"], part["name"])]
        if not parts:
            continue
        if "unit" not in total:
            said.found_ns = sum(part["difference_ns"] for part in parts)
            said.whole_ns = total["difference_ns"]
        said.adds_up = sum_adds_up(total)
        break
    if case.measure == "daemons":
        # Of the planted time a daemon uses part to wake up and look for work.
        said.found_ns = said.whole_ns
    if case.planted_ns is not None:
        said.agrees = (said.found_ns is not None and
                       abs(said.found_ns - case.planted_ns) <= TOLERANCE * case.planted_ns)
    return said


def merged_tail(result, measure):
    """The tails of a measure of all traced trials together, as 'tailgate explain' adds them:
    excess by cause, and time by culprit."""
    causes, culprits, excess = {}, {}, 0
    for trial in result.get("traced", []):
        for tail in trial.get("explanation", {}).get("tails", []):
            if tail["measure"] != measure:
                continue
            excess += tail["excess_ns"]
            for one in tail["causes"]:
                causes[one["cause"]] = causes.get(one["cause"], 0) + one["excess_ns"]
            for one in tail["culprits"]:
                key = one["cause"], one["name"]
                culprits[key] = culprits.get(key, 0) + one["time_ns"]
    return causes, culprits, excess


def judge_run(case, result):
    """Of a result with traced trials."""
    causes, culprits, excess = merged_tail(result, case.measure)
    if not causes:
        return Judgement(False, f"no {case.measure} times were explained")
    first = max(causes, key=causes.get)
    names = {name: ns for (cause, name), ns in culprits.items() if cause == first}
    name = max(names, key=names.get) if names else ""
    nameless = sum(causes.get(cause, 0) for cause in NAMELESS)
    return Judgement(matches(case, first, name), f"{first} {name}".strip(), causes[first], excess,
                     adds_up=abs(excess - sum(causes.values()) + nameless) <= TOLERANCE * excess)


def nameless_share(result, measure):
    """The share of a tail's excess that is unknown or untraced; None where there is none."""
    causes, _, excess = merged_tail(result, measure)
    return sum(causes.get(cause, 0) for cause in NAMELESS) / excess if excess > 0 else None


def wilson(successes, trials, confidence=0.95):
    """An interval of a share (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927)."""
    if trials == 0:
        return 0.0, 1.0
    z = statistics.NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    middle = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return (max(0.0, (middle - half) / (1 + z * z / trials)),
            min(1.0, (middle + half) / (1 + z * z / trials)))
