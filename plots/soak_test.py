"""Compares what the plot of the scenario soak draws with known intervals and slopes."""
import pytest

import soak
import testing
from caption import Skip

SLOPES = {"response_p99_ns": 900, "response_p99_ns_per_h": (3, -2, 8),
          "program_private_bytes_per_h": (2**21, 2**20, 3 * 2**20),
          "program_descriptors_per_h": (0, 0, 0)}
START_NS = testing.trial({900: 100})["start_ns"]


def part(memory, descriptors, seconds=10, **changes):
    """Changes of a trial with an interval a second that ends with these levels."""
    cut = []
    for number in range(seconds):
        at_ns = START_NS + number * 10**9
        made = testing.interval(at_ns, at_ns + 10**9, {900 + number: 100})
        made["roles"] = [{"role": "provider", "processes": 1, "ended": 0, "counters": {
            "private_bytes": memory + number, "descriptors": descriptors}}]
        cut.append(made)
    return {"intervals": cut, "end_ns": START_NS + seconds * 10**9} | changes


def soaked(*parts, figures=None, holds=True, **changes):
    run = testing.tried("soak", [(testing.load(1000.0), [one]) for one in parts],
                        SLOPES if figures is None else figures, **changes)
    run["answer"]["holds"] = holds
    return run


def drawn(runs, options):
    [(name, figure)] = list(soak.draw(runs, options))
    return name, figure.axes, figure


def texts(panel):
    return "\n".join(text.get_text() for text in panel.texts)


def test_lines_are_the_levels_over_the_recorded_time(as_runs, options, line):
    name, [times, memory, descriptors], _ = drawn(as_runs(soaked(part(2**20, 12))), options)
    assert name == "soak"
    ends = [1e9 * second for second in range(1, 11)]
    assert line(times, "p99") == [ends, [900.0 + number for number in range(10)]]
    assert line(memory, "program") == [ends, [2**20 + number for number in range(10)]]
    assert line(descriptors, "program") == [ends, [12] * 10]
    assert memory.get_xlabel() == "time recorded (s)"
    assert "nothing drifts upward" in texts(descriptors)
    assert "response p99: \u22122 ns to 8 ns per h" in texts(descriptors)
    assert "program's memory: 1 MiB to 3 MiB per h" in texts(descriptors)
    assert "program's descriptors: 0 per h" in texts(descriptors)


def test_parts_follow_each_other_with_a_line_between(as_runs, options, line):
    run = soaked(part(2**20, 12, outcome="interrupted"), part(2**19, 9, seconds=5))
    run["resumed"] = [{"trial": 1, "stopped_utc": "2026-01-02T03:04:05Z",
                       "resumed_utc": "2026-01-02T04:04:05Z"}]
    _, [_, memory, _], figure = drawn(as_runs(run), options)
    assert line(memory, "program")[0] == [1e9 * second for second in range(1, 16)]
    assert line(memory, "_resumed")[0] == [1e10, 1e10]
    assert any("went on with a new program" in text.get_text() for text in figure.texts)


def test_an_early_end_is_named(as_runs, options):
    early = {"at_ns": 5, "limit": "end_at_late_s", "value": 11.0, "allowed": 10.0}
    run = soaked(part(1, 1, ended_early=early), holds=False)
    _, [_, _, panel], _ = drawn(as_runs(run), options)
    assert "DRIFTS, OR ENDED EARLY" in texts(panel)
    assert "ended early: end_at_late_s" in texts(panel)


def test_without_intervals_it_is_skipped(as_runs, options):
    with pytest.raises(Skip, match="no trial has intervals"):
        drawn(as_runs(soaked({"intervals": []})), options)
