"""Compares the lines of a payload's plot with known costs and limits."""
import pytest

import payload
import testing
import units
from caption import Skip

REFUSED = {"ledger": testing.trial({900: 100})["ledger"] | {
    "emitted": 100, "lost": 100, "losses": [{"cause": "EMSGSIZE", "reported_by": "call",
                                             "events": 100}]}}


def sized(figures, sizes=(64, 1024), written=None, beyond=None, **changes):
    """A run with three trials of each size; `written`: bytes that the path wrote per event."""
    steps = [(testing.load(1000.0, payload=str(size)), [{}] * 3) for size in sizes]
    if beyond:
        steps.append((testing.load(1000.0, payload=str(beyond)), [REFUSED] * 3))
    data = testing.tried("payload", steps, figures, **changes)
    for step, number in zip(data["summary"], written or []):
        step["overhead"] = [{"role": "logging", "trials": 3, "written_bytes_per_event": {
            "mean": float(number), "half_width": 0.0}}]
    return data


COSTS = {"at_1024_bytes_service_p50_ns": (2000, 1000, 3000),
         "at_64_bytes_service_p50_ns": (500, 400, 600), "limit_bytes": (1024, 1024, 1025)}


def drawn(runs, options):
    [(name, figure)] = list(payload.draw(runs, options))
    panels = [axes for axes in figure.axes if axes.get_ylabel()]
    return name, panels[0], panels[1] if len(panels) > 1 else None, figure


def listed(panel):
    return [text.get_text() for text in panel.texts if text.get_gid() == "list"]


def test_lines_are_the_medians_by_size_up_to_the_limit(as_runs, options, line):
    name, times, _, figure = drawn(as_runs(sized(COSTS, beyond=1025)), options)
    assert name == "payload" and figure.texts[1].get_text().endswith("payload, 1k events/s")
    assert line(times, "file") == [[64, 1024], [500, 2000]]
    assert line(times, "file limit") == [[1025], [2000]]
    assert listed(times) == ["1 KiB", "file; 1025 B refused: EMSGSIZE"]


def test_bytes_are_per_byte_of_an_event(as_runs, options, line):
    _, _, written, _ = drawn(as_runs(sized(COSTS, written=[128, 1536])), options)
    assert line(written, "file written") == [[64, 1024], [2, 1.5]]
    assert line(written, "as many")[1] == [1, 1]


def test_what_writes_into_mapped_memory_is_noted(as_runs, options):
    _, _, written, figure = drawn(as_runs(sized(COSTS, written=[0, 0])), options)
    assert written is None
    assert any("not counted: file" in text.get_text() for text in figure.texts)


def test_without_a_limit_the_largest_is_a_lower_bound(as_runs, options):
    open_ended = COSTS | {"limit_bytes": (1024, 1024, None)}
    runs = as_runs(sized(open_ended, sink="a"), sized({}, sink="b", beyond=2048))
    _, times, _, _ = drawn(runs, options)
    assert listed(times) == ["\u2265 1 KiB", "a", "none", "b; 64 B in some trials only"]


def test_sizes_are_exact():
    assert [units.format_bytes(size) for size in (64, 1024, 4064, 61_440, 1_048_576)] == [
        "64 B", "1 KiB", "4064 B", "60 KiB", "1024 KiB"]


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario payload"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
