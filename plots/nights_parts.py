"""Nights: what did the time consist of, from night to night? For each sink and load, a panel for
each time that the history holds by cause or by role, stacked."""
import csv
import datetime
import io
import statistics

import style
from caption import Caption
from causes import FACES
from overhead import ROLES
from printable import drawable

PANEL_INCHES = (7.2, 2.2)
MOST_PARTS = 8     # of a panel; the smaller ones are one part
MOST_NIGHTS = 28   # the last ones
OTHERS = "others"
OTHERS_COLOR = "#b8b8b8"
EDGE = {"edgecolor": "#333333", "linewidth": 0.3}
IDENTITY = ("fingerprint", "scenario", "preset", "sink", "load")
# Without those that hold others, such as logging and the whole machine.
SHOWN_ROLES = (*ROLES, "consumer")
DUET_ROLES = {"provider_ns_per_event": "provider", "daemon_ns_per_event": "daemons"}
OWN_WORDS = {"own_code": "own code", "kernel_code": "kernel's code",
             "rest": "rest", OTHERS: "others"}


class Kind:
    """One time that is drawn: its title, what `tailgate history` is asked for it, and which part a
    row of the answer is of."""

    def __init__(self, title, question, part, is_of_role=False):
        self.title, self.question, self.part = title, question, part
        self.is_of_role = is_of_role


def _export(*question):
    return ("export", "csv", "--merge", "group", "--nights", str(MOST_NIGHTS), *question)


def _after(infix):
    return lambda row: row["metric"].partition(infix)[2]


def _traced(measure):
    return _export("--kind", "duet", "--part", "b", "--metric", f"{measure}_ns_in_*")


KINDS = (
    Kind("time of a call by cause, traced", _traced("call"), _after("_ns_in_")),
    Kind("time of a call beyond the 99th percentile by cause, traced", _traced("slow_call"),
         _after("_ns_in_")),
    Kind("response time of a call beyond the 99.9th percentile by cause, traced",
         _export("--kind", "result", "--metric", "cause_ns_per_slow_call"),
         lambda row: row["part"]),
    Kind("processor time of the daemons an event by code, traced", _traced("daemons"),
         _after("_ns_in_")),
    Kind("processor time an event by role",
         ("fleet", "--values", "cpu_ns_per_event"),
         lambda row: (row["part"] if row["kind"] == "result" and row["part"] in SHOWN_ROLES
                      else ""), is_of_role=True),
    Kind("processor time an event by role, in the duets",
         _export("--kind", "duet", "--part", "b", "--metric", "*_ns_per_event"),
         lambda row: DUET_ROLES.get(row["metric"], ""), is_of_role=True),
)


def read(kind, text):
    """{identity: {night: {part: ns}}} of what the program prints; of several values of a night the
    median."""
    values = {}
    for row in csv.DictReader(io.StringIO(text)):
        part = kind.part(row)
        if part and row["value"] and row["unit"] == "ns":
            of = values.setdefault(tuple(row[name] for name in IDENTITY), {})
            night = of.setdefault(datetime.date.fromisoformat(row["night"]), {})
            night.setdefault(part, []).append(float(row["value"]))
    return {identity: {night: {part: statistics.median(several) for part, several in parts.items()}
                       for night, parts in sorted(of.items())[-MOST_NIGHTS:]}
            for identity, of in values.items()}


def by_identity(answers):
    """{identity: [(kind, nights)]} in the order of the kinds, from [(kind, text)]."""
    figures = {}
    for kind, text in answers:
        for identity, nights in read(kind, text).items():
            figures.setdefault(identity, []).append((kind, nights))
    return dict(sorted(figures.items()))


def with_several_nights(figures):
    """Those of by_identity() in which a night can be compared with another."""
    return {identity: shown for identity, shown in figures.items()
            if any(len(nights) > 1 for _, nights in shown)}


def draw(number, identity, shown):
    """shown: what by_identity() has for it. Returns the file's name without suffix, and the
    figure."""
    fingerprint, scenario, _, sink, load = map(drawable, identity)
    words = Caption(
        f"{sink}, {scenario}: what the time consisted of, night by night",
        f"{load}; machine {fingerprint}",
        notes=["Absolute times, which change with the machine, too: changes are looked for in the "
               "ratios to the nights' reference.",
               f"Up to {MOST_PARTS} parts of a panel, the rest together; the last {MOST_NIGHTS} "
               "nights. A night without a bar was not measured."])
    figure, rows = style.sheet(len(shown), 1, PANEL_INCHES, words, gap_inches=(0.3, 0.5),
                               sharex=True)
    colors = colors_of(shown)
    for (panel,), (kind, nights) in zip(rows, shown):
        draw_panel(panel, kind, nights, colors)
    return f"nights-parts-{number}", figure


def colors_of(shown):
    """{part: colour}: a part has one colour in all panels."""
    parts = dict.fromkeys(part for kind, nights in shown for part in largest(nights)
                          if part != OTHERS and not (kind.is_of_role and part in ROLES))
    return {part: style.PALETTE[number % len(style.PALETTE)]
            for number, part in enumerate(parts)}


def largest(nights):
    """The parts of these nights, the largest first; at most MOST_PARTS, the last of which stands
    for all others then."""
    sums = {}
    for parts in nights.values():
        for part, time in parts.items():
            sums[part] = sums.get(part, 0) + abs(time)
    order = sorted(sums, key=lambda part: (-sums[part], part))
    return order if len(order) <= MOST_PARTS else [*order[:MOST_PARTS - 1], OTHERS]


def time_of(parts, part, shown):
    if part == OTHERS:
        return sum(time for one, time in parts.items() if one not in shown)
    return parts.get(part, 0.0)


def draw_panel(panel, kind, nights, colors):
    shown = largest(nights)
    dates = list(nights)
    up, down = [0.0] * len(dates), [0.0] * len(dates)
    faces = [face(kind, part, colors) for part in shown]
    for part, drawn in zip(shown, faces):
        times = [time_of(parts, part, shown) for parts in nights.values()]
        bottoms = [high if time >= 0 else low for time, high, low in zip(times, up, down)]
        panel.bar(dates, times, 0.85, bottom=bottoms, label=part, **drawn, **EDGE)
        up = [high + max(time, 0) for high, time in zip(up, times)]
        down = [low + min(time, 0) for low, time in zip(down, times)]
    style.legend(panel, [style.patch(words_of(part), **drawn, **EDGE)
                         for part, drawn in reversed(list(zip(shown, faces)))])
    panel.axhline(0, color="black", linewidth=0.8)
    panel.grid(False, axis="x")
    style.title(panel, kind.title)
    style.linear_durations(panel.yaxis)
    panel.tick_params(axis="x", labelbottom=True)
    style.few_dates(panel.xaxis)


def face(kind, part, colors):
    if kind.is_of_role and part in ROLES:
        color, hatch = ROLES[part]
        return {"facecolor": color, "hatch": hatch}
    if part == OTHERS:
        return {"facecolor": OTHERS_COLOR}
    return {"facecolor": colors[part]}


def words_of(part):
    """A part as a reader knows it: "system call: write"."""
    if part in OWN_WORDS:
        return OWN_WORDS[part]
    if part in FACES:
        return drawable(FACES[part][0])
    for cause in FACES:
        if part.startswith(cause + "_"):
            return drawable(f"{FACES[cause][0]}: {part[len(cause) + 1:]}")
    return drawable(part)
