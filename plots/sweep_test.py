"""Compares the sweep's lines and saturation marks with known steps."""
import pytest

import sweep
import testing
from caption import Skip

STEPS = [(1000.0, 1000.0, False, {100: 9990, 700: 9, 9000: 1}),
         (10_000.0, 9990.0, False, {200: 9890, 800: 109, 9500: 1}),
         (100_000.0, 25_000.0, True, {10**6: 10})]


def drawn(runs, options):
    [(name, figure)] = list(sweep.draw(runs, options))
    return name, [one for one in figure.axes if one.get_visible()], figure


def bands(panel):
    return [(one.get_xy()[:, 0].min(), one.get_xy()[:, 0].max()) for one in panel.patches
            if one.get_label() == "saturated"]


def test_lines_are_the_percentiles_of_the_steps(as_runs, options, line):
    name, [_, upper, lower], _ = drawn(as_runs(testing.sweep(STEPS)), options)
    assert name == "sweep-sweep"
    rates = [1000, 10_000, 100_000]
    assert line(upper, "p50") == [rates, [100, 200, 10**6]]
    assert line(upper, "p99") == [rates, [100, 800, 10**6]]
    assert line(upper, "p99.9") == [rates, [100, 800, 10**6]]
    assert line(upper, "max") == [rates, [9000, 9500, 10**6]]
    assert line(lower, "achieved") == [rates, pytest.approx([100, 99.9, 25])]


def test_only_saturated_steps_are_marked(as_runs, options):
    _, [_, upper, lower], _ = drawn(as_runs(testing.sweep(STEPS)), options)
    [(low, high)] = bands(upper)
    assert 10_000 < low < 100_000 < high
    assert bands(lower) == [(low, high)]


def test_saturation_from_the_first_rate_on_is_marked():
    assert list(sweep.bands([10.0, 1000.0], [10.0])) == [(pytest.approx(1), pytest.approx(100))]
    assert list(sweep.bands([10.0, 1000.0], [1000.0])) == [
        (pytest.approx(100), pytest.approx(10_000))]


def test_sinks_that_stopped_early_share_the_axes(as_runs, options):
    runs = as_runs(testing.sweep(STEPS, sink="a"), testing.sweep(STEPS[:2], sink="b"))
    _, [_, upper_a, upper_b, *_], _ = drawn(runs, options)
    assert upper_a.get_title(loc="left") == "a" and upper_b.get_title(loc="left") == "b"
    assert upper_a.get_xlim() == upper_b.get_xlim() and upper_a.get_ylim() == upper_b.get_ylim()
    assert bands(upper_b) == []


def test_an_empty_step_leaves_a_gap(as_runs, options, line):
    steps = [STEPS[0], (10_000.0, 0.0, True, {}), STEPS[2]]
    _, [_, upper, _], figure = drawn(as_runs(testing.sweep(steps)), options)
    assert line(upper, "p50")[0] == [1000, 100_000]
    assert "! file: no event at 10k events/s, so there is no point" in [
        text.get_text() for text in figure.texts][-1]


def test_a_run_at_one_rate_is_skipped(as_runs, options):
    with pytest.raises(Skip, match="two or more rates"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
    with pytest.raises(Skip, match="no event"):
        drawn(as_runs(testing.sweep([(1.0, 0.0, True, {}), (2.0, 0.0, True, {})])), options)


def test_notes_name_the_rate_and_omit_missed_rates_of_saturated_steps(as_runs):
    data = testing.sweep(STEPS)
    for trial in data["trials"]:
        trial["remarks"] = [{"what": f"remark of step {trial['step']}", "remedy": "none"}]
    data["trials"][2]["ledger"]["unaccounted"] = 5
    data["remarks"] = [{"what": "noisy", "remedy": "none"}]
    [run] = as_runs(data)
    assert sweep.words([(run, "file")], [(run, "file")]).notes == [
        "! file at 100k events/s: INVALID, 5 events unaccounted for in 1 of 1 trials",
        "! file: noisy",
        "! file at 1k, 10k events/s: remark of step 0 (and 1 similar trial)"]


def held(whole):
    """The list beside the upper panel: (rate, sink)."""
    texts = [text.get_text() for text in whole.texts if text.get_gid() == "list"]
    return list(zip(texts[::2], texts[1::2]))


def test_the_upper_panel_has_the_p99_of_every_sink(as_runs, options, line):
    slow = [(rate, got, full, {value * 2: n for value, n in values.items()})
            for rate, got, full, values in STEPS]
    runs = as_runs(testing.sweep(slow, sink="slow"), testing.sweep(STEPS[:2], sink="fast"))
    _, [whole, first, second, *_], _ = drawn(runs, options)
    assert line(whole, "fast") == [[1000, 10_000], [100, 800]]
    assert line(whole, "slow") == [[1000, 10_000, 100_000], [200, 1600, pytest.approx(2e6)]]
    assert line(whole, "slow saturated")[0] == [100_000]
    assert [panel.get_title(loc="left") for panel in (first, second)] == ["fast", "slow"]
    assert [text.get_text() for text in whole.texts if text.get_gid() == "end"] == ["fast", "slow"]


def test_the_highest_rate_that_each_sink_held_is_listed(as_runs, options):
    none = [(rate, rate / 2, True, values) for rate, _, _, values in STEPS]
    lossy = testing.sweep(STEPS, sink="lossy")
    lossy["trials"][1]["ledger"] |= {"emitted": 1000, "lost": 30}
    every = [(rate, rate, False, values) for rate, _, _, values in STEPS]
    runs = as_runs(testing.sweep(none, sink="none"), lossy, testing.sweep(every, sink="every"))
    _, [whole, *_], _ = drawn(runs, options)
    assert held(whole) == [("\u2265 100k", "every"), ("10k", "lossy (lost 3 %)"),
                           ("none", "none")]


def test_what_the_machine_took_leaves_open_what_the_sink_can_hold(as_runs, options):
    data = testing.sweep(STEPS)
    data["summary"][2]["saturated_by_machine"] = True
    _, [whole, *_], _ = drawn(as_runs(data), options)
    assert held(whole) == [("\u2265 10k", "file")]


def test_lost_events_are_marked_at_their_rate(as_runs, options, line):
    data = testing.sweep(STEPS)
    data["trials"][1]["ledger"] |= {"emitted": 1000, "lost": 30}
    _, [whole, upper, _], _ = drawn(as_runs(data), options)
    for panel in (whole, upper):
        assert line(panel, "file lost") == [[10_000], [800]]


def test_a_run_at_one_rate_beside_others_is_noted(as_runs, options):
    runs = as_runs(testing.sweep(STEPS, sink="a"), testing.sweep(STEPS[:1], sink="b"))
    _, _, figure = drawn(runs, options)
    assert "! b: at one rate only, so it is left out" in figure.texts[-1].get_text()
