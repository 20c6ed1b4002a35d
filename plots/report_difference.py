"""The part of a report that says why the sides of a duet differ: the parts of the difference, from
the rounds that were traced."""
from causes import FACES
from report_page import Cell, paragraph, table, warning
from units import format_ns

TITLES = ("Part", "Difference", "95 % interval", "May be chance", "Of", "A", "B", "Called from",
          "Sink", "Scenario")
LOSS_TITLES = ("Cause", "Difference", "95 % interval", "May be chance", "Of", "A", "B",
               "Reported by", "Sink", "Scenario")
MEMORY_TITLES = ("Function", "Difference", "95 % interval", "May be chance", "A", "B",
                 "Called from", "Sink", "Scenario")
ALLOCATED_TITLES = ("Size", *MEMORY_TITLES[1:])
MEASURES = {"call": "a call", "slow_call": "a call beyond p99",
            "other_threads": "processor time an event, other threads"}


def difference_of(verdicts):
    """HTML: nothing, where no round was traced."""
    explained = [verdict for verdict in verdicts if "difference" in verdict]
    if not explained:
        return ""
    amounts = parts_of(explained, "amounts")
    losses, memory, allocated = ([each for each in amounts if each[1]["measure"] == measure]
                                 for measure in ("losses", "memory", "allocated"))
    times = parts_of(explained, "sums")
    return "".join([
        *(how(verdict) for verdict in explained),
        table_of("Why B loses more, or less", LOSS_TITLES, loss_row, losses),
        table_of("Why B has more memory, or less", MEMORY_TITLES, memory_row, memory),
        table_of("What B allocated and did not free, more or less", ALLOCATED_TITLES, memory_row,
                 allocated),
        table_of("Why B differs", TITLES, row, times)])


def parts_of(explained, kind):
    """Older files have no amounts."""
    return [(verdict, one, part) for verdict in explained
            for one in verdict["difference"].get(kind, []) for part in one["parts"]]


def table_of(caption, titles, make_row, rows):
    return table(caption, titles, [make_row(*each) for each in rows],
                 quiet=[not part["distinct"] for _, _, part in rows],
                 quiet_words="that may be chance") if rows else ""


def how(verdict):
    difference = verdict["difference"]
    text = paragraph(f"{verdict['sink']}, {verdict['scenario']}: why B differs, by "
                     f"{difference['rounds']} traced rounds with {difference['samples']} samples.")
    parts = [part for kind in ("sums", "amounts") for _, _, part in parts_of([verdict], kind)]
    if parts and not any(part["distinct"] for part in parts):
        text += paragraph("Chance explains the difference of each part.")
    return text + (warning(f"Not seen: {difference['limits']}.") if difference["limits"] else "")


def row(verdict, one, part):
    measure = MEASURES.get(one["measure"],
                           f"processor time an event, {one['processes'] or 'daemons'}")
    ends = [signed(part[end]) for end in ("low_ns", "high_ns") if end in part]
    return [Cell(name_of(part)), Cell(signed(part["difference_ns"]), part["difference_ns"]),
            Cell(" to ".join(ends) if len(ends) == 2 else "\u2013", mark="number"),
            Cell("no" if part["distinct"] else "yes"), Cell(measure),
            *(Cell(format_ns(round(part[side], 1)), part[side]) for side in ("a_ns", "b_ns")),
            Cell(brief(part["caller"]) or "\u2013"), Cell(verdict["sink"]),
            Cell(verdict["scenario"])]


def loss_row(verdict, one, part):
    ends = [f"{part[end]:+,.4g}" for end in ("low", "high") if end in part]
    return [Cell("all the rest" if part["cause"] == "rest" else part["name"]),
            Cell(f"{part['difference']:+,.4g}", part["difference"]),
            Cell(" to ".join(ends) if len(ends) == 2 else "\u2013", mark="number"),
            Cell("no" if part["distinct"] else "yes"), Cell(f"{one['measure']}, {one['unit']}"),
            *(Cell(f"{part[side]:,.4g}", part[side]) for side in ("a", "b")),
            Cell(part["module"] or "\u2013"), Cell(verdict["sink"]), Cell(verdict["scenario"])]


def memory_row(verdict, _, part):
    ends = [memory_text(part[end]) for end in ("low", "high") if end in part]
    return [Cell(name_of(part)), Cell(memory_text(part["difference"]), part["difference"]),
            Cell(" to ".join(ends) if len(ends) == 2 else "\u2013", mark="number"),
            Cell("no" if part["distinct"] else "yes"),
            *(Cell(memory_size(part[side]), part[side]) for side in ("a", "b")),
            Cell(brief(part["caller"]) or "\u2013"), Cell(verdict["sink"]),
            Cell(verdict["scenario"])]


def memory_text(size):
    return ("\u2212" if size < 0 else "+") + memory_size(abs(size))


def memory_size(size):
    """Four digits: 4096 B, 24.59 MB."""
    for name, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= 10 * factor:
            return f"{size / factor:,.4g} {name}"
    return f"{size:.0f} B"


def name_of(part):
    if part["cause"] == "rest":
        return "all the rest"
    if part["cause"] in ("memory", "allocated") and not part["module"]:
        return part["name"]
    if part["cause"] in ("function", "memory"):
        return f"{brief(part['name'])} in {part['module']}"
    words = FACES[part["cause"]][0] if part["cause"] in FACES else part["cause"]
    return f"{words}: {part['name']}" if part["name"] else words


def brief(function):
    return function.replace("(anonymous namespace)::", "")


def signed(value_ns):
    """Rounds to a tenth of a nanosecond: what is smaller is left over from adding up."""
    value_ns = round(value_ns, 1)
    sign = "+" if value_ns > 0 else "\u2212" if value_ns < 0 else ""
    return sign + format_ns(abs(value_ns))
