"""Compares the lines of the fields' plot with known figures."""
import pytest

import fields
import testing
from caption import Skip

FIGURES = {"without_service_p50_ns": (1000, 900, 1100), "text_per_field_ns": (10, 9, 11),
           "text_4_service_p50_ns": 1040, "text_32_service_p50_ns": 1320,
           "real_per_field_ns": (1, -2, 3), "real_4_service_p50_ns": 1004}


def measured(figures, **changes):
    return testing.tried("fields", [(testing.load(1000.0), [{}] * 3)] * 2, figures, **changes)


def drawn(runs, options):
    [(name, figure)] = list(fields.draw(runs, options))
    return name, {axes.get_xlabel(): axes for axes in figure.axes}, figure


def legends(panel):
    return [text.get_text() for text in panel.get_legend().get_texts()]


def test_a_line_is_what_fields_add_to_a_call(as_runs, options, line):
    name, panels, figure = drawn(as_runs(measured(FIGURES)), options)
    assert name == "fields" and figure.texts[1].get_text().endswith("fields, 1k events/s")
    assert line(panels["text of 10 letters"], "file") == [[0, 4, 32], [0, 40, 320]]
    assert legends(panels["text of 10 letters"]) == ["file: 9 ns to 11 ns a field"]


def test_a_slope_about_zero_is_no_difference(as_runs, options):
    _, panels, _ = drawn(as_runs(measured(FIGURES)), options)
    assert legends(panels["number with 3 decimals"]) == [
        "file: no difference that is told: \u22122 ns to 3 ns"]


def test_a_kind_that_was_not_measured_is_named(as_runs, options):
    _, panels, _ = drawn(as_runs(measured(FIGURES)), options)
    assert legends(panels["whole number of 10 digits"]) == ["file: not measured"]


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario fields"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
