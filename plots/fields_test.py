"""Compares the marks of the fields' plot with known figures."""
import pytest

import answers
import fields
import testing
from caption import Skip

FIGURES = {"without_service_p50_ns": (1000, 900, 1100), "text_per_field_ns": (10, 9, 11),
           "integer_per_field_ns": (20, 18, 22), "real_per_field_ns": (60, 50, 70)}


def measured(figures, **changes):
    return testing.tried("fields", [(testing.load(1000.0), [{}] * 3)] * 2, figures, **changes)


def drawn(runs, options):
    [(name, figure)] = list(fields.draw(runs, options))
    return name, figure.axes[0], figure


def marks(panel):
    return sorted(float(line.get_xdata()[0]) for line in panel.lines
                  if line.get_marker() not in ("None", "", None) and len(line.get_xdata()) == 1)


def test_a_mark_is_what_each_kind_of_field_adds(as_runs, options):
    name, panel, figure = drawn(as_runs(measured(FIGURES)), options)
    assert name == "fields" and figure.texts[1].get_text().endswith("fields, 1k events/s")
    assert marks(panel) == [10, 20, 60]


def test_beside_a_row_stands_the_call_and_its_dearest_field(as_runs):
    [run] = as_runs(measured(FIGURES))
    assert fields.fact(run) == "1 µs; 50.0 to 70.0 ns"


def test_the_cheapest_field_is_first_and_none_last(as_runs):
    cheap, dear, none = as_runs(
        measured(FIGURES | {"real_per_field_ns": (5, 4, 6)}, sink="a"),
        measured(FIGURES, sink="b"), measured({"without_service_p50_ns": 1}, sink="c"))
    order = sorted([(none, "c"), (dear, "b"), (cheap, "a")],
                   key=answers.cheapest_first("real_per_field_ns"))
    assert [name for _, name in order] == ["a", "b", "c"]
    assert fields.fact(none) == "1 ns"


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario fields"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
