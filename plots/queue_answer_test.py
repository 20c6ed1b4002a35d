"""Compares what the plot of the scenario queue draws with known figures."""
import pytest

import queue_answer
import testing
from caption import Skip

FIGURES = {
    "direct_at_1000_hz_service_p50_ns": (10000, 9000, 12000),
    "queued_at_1000_hz_service_p50_ns": (5000, 4000, 7000),
    "queued_at_1000_hz_p50_ratio": (0.5, 0.4, 0.7),
    "queued_at_1000_hz_p99_ratio": (2.0, 1.5, 2.5),
    "direct_at_20000_hz_service_p50_ns": (400, 390, 410),
    "queued_at_20000_hz_service_p50_ns": (800, 700, 900),
    "queued_at_20000_hz_p50_ratio": (2.0, 1.8, 2.2),
    "full_dropped_share": (0.25, 0.2, 0.3), "full_queued_service_mean_ns": (9500, 9000, 9900),
    "full_queued_mean_ratio": (0.95, 0.9, 1.0)}


def asked(figures, **changes):
    steps = [(testing.load(1000.0), [{}, {}]), (testing.load(20000.0), [{}, {}])]
    return testing.tried("queue", steps, figures, **changes)


def drawn(runs, options):
    [(name, figure)] = list(queue_answer.draw(runs, options))
    return name, figure


def points(panel, label):
    """Of each line with error bars and this label: x and y."""
    return [(list(one.lines[0].get_xdata()), list(one.lines[0].get_ydata()))
            for one in panel.containers if one.get_label() == label]


def words(panel):
    return [text.get_text() for legend in panel.artists for text in legend.get_texts()]


def test_ratio_and_calls_stand_at_their_rates(as_runs, options):
    name, figure = drawn(as_runs(asked(FIGURES)), options)
    ratio, calls = figure.axes
    assert name == "queue"
    assert points(ratio, "file ratio") == [([1000, 20000], [0.5, 2.0])]
    assert points(calls, "file direct") == [([1000, 20000], [10000, 400])]
    assert points(calls, "file queued") == [([1000, 20000], [5000, 800])]


def test_who_pays_when_it_is_full_stands_at_the_name(as_runs, options):
    never = {**FIGURES, "full_dropped_share": (0, 0, 0)}
    untried = {name: value for name, value in FIGURES.items() if "full" not in name}
    _, figure = drawn(as_runs(asked(FIGURES), asked(never, sink="fast"),
                              asked(untried, sink="other")), options)
    assert sorted(words(figure.axes[0])) == [
        "fast: does not fill", "file: when full 0.95 times, or 25 % lost", "other"]


def test_the_cheapest_through_the_queue_at_the_highest_rate_comes_first(as_runs, options):
    cheap = {**FIGURES, "queued_at_20000_hz_p50_ratio": (0.1, 0.1, 0.2)}
    _, figure = drawn(as_runs(asked(FIGURES), asked(cheap, sink="cheap")), options)
    assert words(figure.axes[0])[0].startswith("cheap")


def test_without_a_pair_it_is_skipped(as_runs, options):
    with pytest.raises(Skip, match="no pair"):
        drawn(as_runs(asked({"full_dropped_share": 0.1})), options)
