#!/usr/bin/env python3
"""Fields: what does a field cost that a call formats, as text and as a number?

A panel has one kind of field; a line is the median call of a sink by the number of fields, without
what it takes with none. The legend has what each field adds, with its 95 % interval.
"""
import re

import answers
import style
import units
from answers import ends, figures

KINDS = {"text": "text of 10 letters", "integer": "whole number of 10 digits",
         "real": "number with 3 decimals"}
KEY = re.compile(r"(text|integer|real)_(\d+)_service_p50_ns")


def draw(runs, options):
    del options  # there is nothing to choose
    named = sorted(answers.answered(runs, "fields"), key=lambda one: -most_added(one[0]))
    figure, [panels] = style.sheet(1, len(KINDS), (3.1, 3.0), words(runs, named), sharey=True,
                                   gap_inches=(0.2, 0.3))
    for panel, (kind, about) in zip(panels, KINDS.items()):
        for number, (run, name) in enumerate(named):
            draw_line(panel, run, name, kind, style.run_style(number))
        finish(panel, named, kind, about)
    panels[0].set_ylabel("median call, longer than without fields")
    yield answers.plot_name("fields", runs), figure


def words(runs, named):
    return answers.words("What does a field cost that a call formats?", runs, named,
                         answers.where_asked(named),
                         ["All events have one size: what is written does not grow with the fields."])


def without_ns(run):
    figure = figures(run).get("without_service_p50_ns")
    return figure["value"] if figure else 0.0


def added(run, kind):
    """(fields, ns more than without) of a kind, ascending; the first is no field, 0 ns."""
    found = [(int(match[2]), figure["value"] - without_ns(run))
             for name, figure in figures(run).items()
             if (match := KEY.fullmatch(name)) and match[1] == kind]
    return [(0, 0.0), *sorted(found)]


def most_added(run):
    return max(value for kind in KINDS for _, value in added(run, kind))


def draw_line(panel, run, name, kind, drawn):
    points = added(run, kind)
    if len(points) > 1:
        panel.plot(*zip(*points), label=name, **drawn)


def per_field(run, kind):
    """What each field adds, as text."""
    figure = figures(run).get(f"{kind}_per_field_ns")
    if not figure:
        return "not measured"
    low, high = ends(figure)
    if low <= 0 <= high:
        return f"no difference that is told: {signed(low)} to {signed(high)}"
    return f"{signed(low)} to {signed(high)} a field"


def signed(value_ns):
    return ("\u2212" if value_ns < 0 else "") + units.format_ns(abs(value_ns))


def finish(panel, named, kind, about):
    counts = sorted({count for run, _ in named for count, _ in added(run, kind)})
    values = [value for run, _ in named for one in KINDS for _, value in added(run, one)]
    panel.set(xlim=(0, max(1, counts[-1]) * 1.05), xlabel=about,
              ylim=(min(0.0, 1.1 * min(values)), max(10.0, 1.5 * max(values))))
    panel.set_xticks(counts, [str(count) for count in counts])
    panel.yaxis.set_major_formatter(lambda value, _: signed(value))
    panel.axhline(0, color=style.GREY, linewidth=1, linestyle="--")
    style.legend(panel, [style.handle(f"{name}: {per_field(run, kind)}", **style.run_style(number))
                         for number, (run, name) in enumerate(named)])


if __name__ == "__main__":
    import command
    command.main({"fields": draw})
