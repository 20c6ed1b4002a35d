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


def bars(panel):
    """{(place, role): (bottom, top)} of the stacked bars."""
    return {(round(bar.get_x() + bar.get_width() / 2), one.get_label()):
            (round(bar.get_y(), 6), round(bar.get_y() + bar.get_height(), 6))
            for one in panel.containers for bar in one}


def texts(panel):
    return [text.get_text() for text in panel.texts]


def test_lines_are_the_shares_of_the_steps(as_runs, options, line):
    name, [whole, _] = drawn(as_runs(measured()), options)
    assert name == "overhead-sweep"
    assert line(whole, "file") == [[1000, 10_000], [1, 3]]
    assert line(whole, "5 %")[1] == [5, 5]


def test_roles_are_stacked_below_the_sum_of_logging(as_runs, options):
    _, [_, roles] = drawn(as_runs(measured()), options)
    assert bars(roles) == {(0, "provider"): (0, 750), (0, "kernel"): (750, 1000),
                           (1, "provider"): (0, 2750), (1, "kernel"): (2750, 3000)}
    assert texts(roles) == ["1 \u00b5s", "3 \u00b5s"]
    assert [text.get_text() for text in roles.get_xticklabels()] == ["1k", "10k"]


def test_a_role_below_zero_is_stacked_downwards_and_explained(as_runs, options):
    data = measured()
    data["summary"][0]["overhead"] = testing.roles(provider=1, kernel=-0.5, logging=0.5)
    _, [whole, roles] = drawn(as_runs(data), options)
    assert bars(roles)[0, "kernel"] == (0, -500) and bars(roles)[0, "provider"] == (0, 1000)
    assert overhead.BELOW_ZERO in texts(roles) and overhead.BELOW_ZERO not in texts(whole)
    assert roles.get_ylim()[0] < -500
    data["summary"][0]["overhead"] = testing.roles(provider=-1, logging=-1)
    _, [whole, _] = drawn(as_runs(data), options)
    assert overhead.BELOW_ZERO in texts(whole)


@pytest.mark.parametrize("system, shown", [("Debian GNU/Linux 12", False), ("Windows 11 Pro", True),
                                           ("Wine 8.0 (as Windows 10)", True)])
def test_the_rule_of_thumb_for_etw_is_on_windows_only(as_runs, options, system, shown):
    data = measured()
    data["machine"] = data["machine"] | {"os": system}
    _, [whole, _] = drawn(as_runs(data), options)
    rules = [one for one in whole.lines if one.get_label() == "rule of thumb"]
    assert [list(one.get_xdata()) for one in rules] == [[10_000, 1_000_000]] * shown
    assert shown == any("ETW" in text.get_text() for text in whole.get_legend().get_texts())


def test_shares_have_confidence_intervals(as_runs, options):
    _, [whole, _] = drawn(as_runs(measured()), options)
    ends = {tuple(round(end, 6) for _, end in bar) for group in whole.collections
            for bar in group.get_segments()}
    assert ends == {(0.9, 1.1), (2.9, 3.1)}


def test_saturation_and_losses_are_marked(as_runs, options, line):
    steps = [STEPS[0], (10_000.0, 5000.0, True, {200: 9})]
    data = measured(steps)
    data["trials"][0]["ledger"] |= {"emitted": 100, "lost": 4}
    _, [whole, roles] = drawn(as_runs(data), options)
    assert line(whole, "file saturated") == [[10_000], [3]]
    assert line(whole, "file lost") == [[1000], [1]]
    assert texts(roles)[0] == "lost 4 %\n1 \u00b5s"
    [band] = [one for one in roles.patches if one.get_label() == "saturated"]
    assert (band.get_xy()[:, 0].min(), band.get_xy()[:, 0].max()) == (0.5, 1.5)


def test_the_legend_has_only_the_drawn_roles(as_runs, options):
    _, [_, roles] = drawn(as_runs(measured()), options)
    assert [text.get_text() for text in roles.get_legend().get_texts()][:2] == [
        "kernel", "provider"]


def test_sinks_share_the_upper_panel(as_runs, options, line):
    _, [whole, first, second] = drawn(as_runs(measured(sink="a"), measured(sink="b")), options)
    assert line(whole, "a") == line(whole, "b")
    assert first.get_title(loc="left") == "a" and second.get_title(loc="left") == "b"
    assert [text.get_text() for text in whole.texts if text.get_gid() == "end"] == ["a", "b"]


def test_the_panels_of_many_sinks_wrap_into_rows(as_runs, options):
    _, axes = drawn(as_runs(*(measured(sink=f"s{k}") for k in range(6))), options)
    assert len(axes) == 1 + 6


def test_results_without_overhead_are_skipped(as_runs, options):
    for data in (testing.sweep(STEPS), measured(STEPS[:1])):
        with pytest.raises(Skip, match="whose overhead was measured"):
            drawn(as_runs(data), options)


def test_what_is_left_out_is_noted(as_runs):
    bare, one, other = measured(controls=0), measured(STEPS[:1]), measured([*STEPS, STEPS[1]])
    del other["summary"][2]["overhead"]
    other["summary"][2]["rate_hz"] = 5000.0
    runs = dict(zip(("bare", "one", "other"), as_runs(bare, one, other)))
    named = [(run, name) for name, run in runs.items()]
    assert overhead.words([named[0], named[2]], named).notes == [
        "! bare: without control trials; the harness's own use is included",
        "! one: overhead not measured at two or more rates, so it is left out",
        "! other: overhead not measured at 5k events/s, so there is no point"]


def test_a_missing_estimate_leaves_a_gap_in_the_stack(as_runs, options):
    data = measured()
    del data["summary"][0]["overhead"][1]["cpu_ns_per_event"]
    _, [_, roles] = drawn(as_runs(data), options)
    assert sorted(bars(roles)) == [(0, "provider"), (1, "kernel"), (1, "provider")]


def test_the_consumer_is_the_harness_s_own_and_left_out(as_runs, options):
    data = measured()
    for step in data["summary"]:
        step["overhead"] += testing.roles(consumer=40)
    _, [_, roles] = drawn(as_runs(data), options)
    assert "consumer" not in {role for _, role in bars(roles)}
    assert roles.get_ylim()[1] < 5000


def test_texts_above_many_bars_are_upright_and_have_room(as_runs, options):
    _, [_, few] = drawn(as_runs(measured()), options)
    many = measured([(1000.0 * 2**k, 1000.0, False, {100: 9}) for k in range(7)])
    _, [_, roles] = drawn(as_runs(many), options)
    assert {text.get_rotation() for text in few.texts} == {0}
    assert {text.get_rotation() for text in roles.texts} == {90}
    assert roles.get_ylim()[1] > 1.25 * 13_000


def test_without_intervals_the_legend_names_none(as_runs):
    data = measured()
    assert overhead.has_intervals([(as_runs(data)[0], "file")])
    for step in data["summary"]:
        for role in step["overhead"]:
            del role["machine_percent"]["half_width"]
    assert not overhead.has_intervals([(as_runs(data)[0], "file")])


def test_steps_at_one_rate_are_no_sweep(as_runs, options):
    data = measured([(1000.0, 1000.0, False, {100: 9})] * 2)
    with pytest.raises(Skip, match="two or more rates"):
        drawn(as_runs(data), options)
