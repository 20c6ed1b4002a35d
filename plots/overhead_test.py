"""Compares the overhead's lines with known shares."""
import pytest

import overhead
import testing
from caption import Skip

STEPS = [(1000.0, 1000.0, False, {100: 9}), (10_000.0, 10_000.0, False, {200: 9})]


def measured(steps=STEPS, controls=3, **changes):
    """A sweep in which logging takes 1 % at the first rate and 2 % more at each further rate."""
    data = testing.sweep(steps, **changes)
    for number, step in enumerate(data["summary"]):
        total = 1 + 2 * number
        step["controls"] = controls
        step["overhead"] = testing.roles(provider=total - 0.25, kernel=0.25, machine=50,
                                         logging=total)
    return data | {"version": 3}


def drawn(runs, options):
    [(name, figure)] = list(overhead.draw(runs, options))
    return name, [one for one in figure.axes if one.get_visible()]


def test_lines_are_the_shares_of_the_steps(as_runs, options, line):
    name, [whole, roles] = drawn(as_runs(measured()), options)
    assert name == "overhead-sweep"
    assert line(whole, "file") == [[1000, 10_000], [1, 3]]
    assert line(whole, "rule of thumb") == [[10_000, 1_000_000], [5, 100]]
    assert line(whole, "5 %")[1] == [5, 5]
    assert line(roles, "provider") == [[1000, 10_000], [750, 2750]]
    assert line(roles, "kernel") == [[1000, 10_000], [250, 250]]
    assert not [one for one in roles.lines if one.get_label() == "machine"]


def test_roles_have_confidence_intervals_like_the_shares(as_runs, options):
    data = measured()
    for step in data["summary"]:
        for role in step["overhead"]:
            role["cpu_ns_per_event"]["half_width"] = 40
    _, [_, roles] = drawn(as_runs(data), options)
    bars = {tuple(end for _, end in bar) for group in roles.collections
            for bar in group.get_segments()}
    assert (750 - 40, 750 + 40) in bars and (250 - 40, 250 + 40) in bars
    low, high = roles.get_ylim()
    assert low < 0 and high > 3000 + 40


def test_the_legend_has_only_the_drawn_roles(as_runs, options):
    _, [_, roles] = drawn(as_runs(measured()), options)
    assert [text.get_text() for text in roles.get_legend().get_texts()] == [
        "provider", "kernel", "logging"]


def test_sinks_share_the_upper_panel(as_runs, options, line):
    _, [whole, first, second] = drawn(as_runs(measured(sink="a"), measured(sink="b")), options)
    assert line(whole, "a") == line(whole, "b")
    assert first.get_title(loc="left") == "a" and second.get_title(loc="left") == "b"


def test_the_panels_of_many_sinks_wrap_into_rows(as_runs, options):
    _, axes = drawn(as_runs(*(measured(sink=f"s{k}") for k in range(6))), options)
    assert len(axes) == 1 + 6


def test_results_without_overhead_are_skipped(as_runs, options):
    for data in (testing.sweep(STEPS), measured(STEPS[:1])):
        with pytest.raises(Skip, match="whose overhead was measured"):
            drawn(as_runs(data), options)


def test_a_run_without_control_trials_is_noted(as_runs):
    [run] = as_runs(measured(controls=0))
    assert overhead.words([(run, "file")]).notes == [
        "! file: without control trials; the harness's own use is included"]


def test_a_missing_estimate_leaves_a_gap_in_the_role_s_line(as_runs, options, line):
    data = measured()
    del data["summary"][0]["overhead"][1]["cpu_ns_per_event"]
    _, [_, roles] = drawn(as_runs(data), options)
    assert line(roles, "kernel") == [[10_000], [250]]
