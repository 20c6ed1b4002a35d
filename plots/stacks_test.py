"""Compares the lines of the stacks' plot with known figures."""
import pytest

import stacks
import testing
from caption import Skip

FIGURES = {"frames_1_without_service_p50_ns": (1000, 900, 1100),
           "frames_1_capture_ns": (450, 440, 460), "frames_64_capture_ns": (9900, 9800, 10000),
           "per_frame_ns": (150, 148, 152)}


def captured(figures, **changes):
    steps = [(testing.load(1000.0), [{}])] * 2
    return testing.tried("stacks", steps, figures, **changes)


def drawn(runs, options):
    [(name, figure)] = list(stacks.draw(runs, options))
    return name, figure.axes[0], figure


def test_a_line_is_the_capture_by_frames(as_runs, options, line, legends):
    name, panel, figure = drawn(as_runs(captured(FIGURES)), options)
    assert name == "stacks" and figure.texts[1].get_text().endswith("stacks, 1k events/s")
    assert line(panel, "file") == [[1, 64], [450, 9900]]
    assert "file: 148 ns to 152 ns a frame" in legends(panel)


def test_a_capture_may_take_less_than_nothing(as_runs, options, line, legends):
    none = {"frames_1_capture_ns": (-3, -9, 4), "frames_8_capture_ns": (2, -5, 7),
            "per_frame_ns": (0.7, -1, 2)}
    _, panel, _ = drawn(as_runs(captured(none)), options)
    assert line(panel, "file") == [[1, 8], [-3, 2]]
    assert "file: no difference that is told: \u22121 ns to 2 ns" in legends(panel)


def test_one_depth_alone_has_no_slope(as_runs, options, line):
    alone = captured({"frames_8_capture_ns": 5.0})
    alone["answer"]["cannot"] = ["record the caller's stack itself: no"]
    _, panel, figure = drawn(as_runs(alone), options)
    assert line(panel, "file") == [[8], [5]]
    assert any("file cannot record the caller's stack itself: no." in text.get_text()
               for text in figure.texts)


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario stacks"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
