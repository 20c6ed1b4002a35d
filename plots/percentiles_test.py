"""Compares the percentile curve with distributions whose quantiles have a closed form."""
import bisect

import pytest

import percentiles
import testing
from caption import Skip

PRECISION = 1e-3


def value_at(curve, x):
    """The value of a drawn step curve at x, approached from the left."""
    return curve[1][bisect.bisect_left(curve[0], x)]


def drawn(runs, options):
    [(name, figure)] = list(percentiles.draw(runs, options))
    return name, figure.axes[0], figure


def test_a_uniform_distribution_has_its_analytic_quantiles(as_runs, options, line):
    count = 10_000
    uniform = {1000 * k: 1 for k in range(1, count + 1)}  # quantile q is 1000 * ceil(q * count)
    _, axes, _ = drawn(as_runs(testing.steady([uniform])), options)
    curve = line(axes, "file response")
    for q in (0.25, 0.5, 0.75, 0.9, 0.99, 0.999):
        assert value_at(curve, 0.999999 / (1 - q)) == pytest.approx(1000 * count * q, rel=2e-3)
    assert curve[0][0] == 1 and curve[0][-1] == count
    assert curve[1][-1] == pytest.approx(1000 * count, rel=PRECISION)


def test_marks_stand_at_the_nines_and_the_maximum(as_runs, options, line):
    bimodal = {1000: 989, 5000: 10, 80_000: 1}
    _, axes, _ = drawn(as_runs(testing.steady([bimodal])), options)
    x, y = line(axes, "file marks")
    assert x == [2, 10, 100, 1000, 1000]
    assert y == pytest.approx([1000, 1000, 5000, 5000, 80_000], rel=PRECISION)


def test_trials_are_pooled_and_drawn_separately_on_request(as_runs, options, line):
    run = as_runs(testing.steady([{100: 10}, {900: 30}]))
    _, axes, _ = drawn(run, options)
    assert value_at(line(axes, "file response"), 1.3) == 100  # 10 of 40: up to 1 / (1 - 0.25)
    assert value_at(line(axes, "file response"), 1.34) == 900
    options.per_trial = True
    _, axes, _ = drawn(run, options)
    assert set(line(axes, "file trial 0")[1]) == {100}
    assert set(line(axes, "file trial 1")[1]) == {900}


def test_service_is_dashed_and_response_solid(as_runs, options):
    _, axes, _ = drawn(as_runs(testing.steady([{500: 5}], [{100: 5}])), options)
    dashes = {one.get_label(): one.get_linestyle() for one in axes.lines}
    assert dashes["file response"] == "-" and dashes["file service"] == "--"


def test_closed_loop_has_no_service_line_of_its_own(as_runs, options):
    _, axes, _ = drawn(as_runs(testing.steady([{100: 5}], rate_hz=0.0)), options)
    assert "file service" not in [one.get_label() for one in axes.lines]
    assert not any("service" in text.get_text() for text in axes.get_legend().get_texts())


def test_the_floor_is_the_harness_median(as_runs, options, line):
    _, axes, _ = drawn(as_runs(testing.steady([{500: 5}])), options)
    assert line(axes, "floor")[1] == [30, 30]


def test_one_event_is_drawn(as_runs, options, line):
    name, axes, _ = drawn(as_runs(testing.steady([{1234: 1}])), options)
    assert name == "percentiles-steady"
    assert line(axes, "file marks") == [[1], [1234]]


def names_at_the_ends(axes):
    """The labels beside the axes, from top to bottom."""
    texts = [text for text in axes.texts if text.get_gid() == "end"]
    return [text.get_text() for text in sorted(texts, key=lambda text: -text.xy[1])]


def test_twenty_runs_have_different_styles_and_a_name_at_the_end(as_runs, options):
    runs = as_runs(*(testing.steady([{100 + k: 5}], sink=f"s{k}") for k in range(20)))
    _, axes, _ = drawn(runs, options)
    marks = [one for one in axes.lines if str(one.get_label()).endswith(" marks")]
    assert len({(one.get_color(), one.get_marker()) for one in marks}) == 20
    assert len({one.get_color() for one in marks[:12]}) == 12
    assert names_at_the_ends(axes) == [f"s{k}, p99 {100 + k} ns" for k in reversed(range(20))]


def test_a_name_has_the_colour_of_its_line(as_runs, options):
    runs = as_runs(testing.steady([{900: 5}], sink="slow"), testing.steady([{10: 5}], sink="fast"))
    _, axes, _ = drawn(runs, options)
    ends = {round(one.get_ydata()[0], 9): one.get_color() for one in axes.lines
            if one.get_label() == "_end"}
    places = {text.get_text(): text.xy[1] for text in axes.texts if text.get_gid() == "end"}
    lines = {one.get_label(): one.get_color() for one in axes.lines}
    for name, label in (("slow", "slow, p99 900 ns"), ("fast", "fast, p99 10 ns")):
        assert ends[round(places[label], 9)] == lines[f"{name} response"]
    assert lines["fast response"] == percentiles.style.PALETTE[0]


def test_names_without_room_are_in_a_legend_in_the_order_of_the_lines(as_runs, options):
    runs = as_runs(*(testing.steady([{100 + k: 5}], sink=f"s{k}") for k in range(40)))
    _, axes, _ = drawn(runs, options)
    assert names_at_the_ends(axes) == []
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts[:40] == [f"s{k}, p99 {100 + k} ns" for k in reversed(range(40))]


def test_losses_and_saturation_are_at_the_names(as_runs, options):
    data = testing.sweep([(1e3, 1e3, False, {100: 9}), (1e4, 5e3, True, {100: 9})])
    data["trials"][1]["ledger"] |= {"emitted": 100, "lost": 10}
    options.rate_hz = 1e4
    _, axes, _ = drawn(as_runs(data), options)
    assert names_at_the_ends(axes) == ["file (saturated, lost 10 %), p99 100 ns"]


def test_a_sweep_is_shown_at_the_highest_rate_that_all_sustain(as_runs, options, line):
    fast = testing.sweep([(1e3, 1e3, False, {100: 9}), (1e4, 1e4, False, {200: 9}),
                          (1e5, 1e5, False, {300: 9})], sink="fast")
    slow = testing.sweep([(1e3, 1e3, False, {1000: 9}), (1e4, 1e4, False, {2000: 9}),
                          (1e5, 5e4, True, {3000: 9})], sink="slow")
    _, axes, _ = drawn(as_runs(fast, slow), options)
    assert set(line(axes, "fast response")[1]) == {200}
    assert set(line(axes, "slow response")[1]) == {2000}
    options.rate_hz = 1000
    _, axes, _ = drawn(as_runs(fast, slow), options)
    assert set(line(axes, "fast response")[1]) == {100}


def test_a_skipped_plot_has_a_reason(as_runs, options):
    with pytest.raises(Skip, match="no event"):
        list(percentiles.draw(as_runs(testing.steady([{}])), options))
    options.rate_hz = 7
    with pytest.raises(Skip, match="rate 7 .* there are 10000"):
        list(percentiles.draw(as_runs(testing.steady([{5: 1}])), options))


def test_an_empty_run_is_in_the_legend(as_runs, options):
    runs = as_runs(testing.steady([{}], sink="a"), testing.steady([{5: 1}], sink="b"))
    _, axes, _ = drawn(runs, options)
    assert axes.get_legend().get_texts()[-1].get_text() == "a (no events)"


@pytest.mark.parametrize("events, last", [(1, "99%"), (100, "99%"), (101, "99.9%"),
                                          (10**6, "99.9999%")])
def test_ticks_reach_as_far_as_the_events(events, last):
    places, texts = percentiles.percent_ticks(events)
    assert texts[:4] == ["0%", "50%", "90%", "99%"] and texts[-1] == last
    assert places[-1] == 10 ** (len(places) - 2)
