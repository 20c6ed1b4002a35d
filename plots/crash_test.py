"""Compares the bars of a crash with known numbers of events that were gone."""
import pytest

import crash
import testing
from caption import Skip

NONE = (0, 0, 0)


def drawn(runs, options):
    [(name, figure)] = list(crash.draw(runs, options))
    return name, [one for one in figure.axes if one.get_xlabel()]


def rows(panel):
    return [text.get_text() for text in panel.get_yticklabels()]


def facts(panel):
    return [text.get_text() for text in panel.texts if text.get_text()]


def test_bars_are_the_medians_and_those_that_lose_nothing_are_on_top(as_runs, options, line):
    lossy = testing.crashed({"program_gone_events": (40, 5, 920), "response_p99_ns": 5000,
                             "program_gone_ns": (3e6, 1e6, 9e7)}, sink="lossy")
    safe = testing.crashed({"program_gone_events": NONE, "program_gone_ns": NONE,
                            "response_p99_ns": 7000}, sink="safe")
    name, [panel] = drawn(as_runs(lossy, safe), options)
    assert name == "crash" and rows(panel) == ["safe", "lossy"]
    [bars] = panel.containers
    assert [(bars.get_label(), bar.get_width(), round(bar.get_y() + bar.get_height() / 2))
            for bar in bars] == [("lossy", 40, 1)]
    assert line(panel, "lossy range") == [[5, 920], [1, 1]]
    assert line(panel, "safe nothing") == [[0], [0]]
    assert facts(panel) == ["nothing", "5 to 920, up to 90 ms", "p99 of a call", "7 µs", "5 µs"]
    assert panel.get_xlim()[1] > 920 and panel.get_xscale() == "symlog"


def test_each_victim_has_a_panel_and_what_cannot_be_killed_says_why(as_runs, options):
    own = testing.crashed({"program_gone_events": NONE, "daemon_gone_events": (3, 3, 3),
                           "daemon_gone_ns": (1e6, 1e6, 1e6), "daemon_gone_after_share": 1.0},
                          sink="own")
    bare = testing.crashed({"program_gone_events": NONE}, sink="bare",
                           cannot=["kill daemon: no process of its own"])
    _, [program, daemon] = drawn(as_runs(own, bare), options)
    assert (program.get_title(loc="left"), daemon.get_title(loc="left")) == (
        "when the program is killed", "when its daemon is killed")
    assert rows(program) == ["own", "bare"]
    assert facts(daemon)[:2] == ["3, up to 1 ms; afterwards 100 %", "no process of its own"]


def test_what_could_not_be_read_back_is_unknown_and_comes_last(as_runs, options):
    unread = testing.crashed({"response_p99_ns": 5}, sink="a")
    read = testing.crashed({"program_gone_events": (9, 9, 9), "program_gone_ns": (1, 1, 1)},
                           sink="b")
    _, [panel] = drawn(as_runs(unread, read), options)
    assert rows(panel) == ["b", "a"] and facts(panel)[1] == "unknown: not read back"


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario crash"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
