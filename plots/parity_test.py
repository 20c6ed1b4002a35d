"""Compares the cells of a parity plot with known counts."""
import pytest

import parity
import testing
from caption import Skip


def kind(name, same, first=None, **fates):
    counts = {"kind": name, "same": same, "cut": 0, "changed": 0, "missing": 0} | fates
    counts["lines"] = same + sum(counts[fate] for fate in parity.FATES)
    return counts | ({"first": first} if first else {})


def copy(sink, *kinds):
    return {"sink": sink, "kinds": list(kinds), "twice": 0, "foreign": 0}


def difference(sequence, expected="\\n", found="#012"):
    return {"thread": 0, "sequence": sequence, "offset_bytes": 7, "expected": expected,
            "found": found}


def compared(*trials, **changes):
    """A run with a trial of each list of copies."""
    steps = [(testing.load(1000.0, payload="lines(61440)"),
              [{"copies": list(copies)} for copies in trials])]
    figures = {"differing_lines": 0} if trials and trials[0] else {}
    return testing.tried("parity", steps, figures, **changes)


WHOLE = copy("file", kind("plain", 7), kind("line_feed", 6))


def drawn(runs, options):
    [(name, figure)] = list(parity.draw(runs, options))
    return name, figure.axes[0]


def texts(panel, gid):
    return [text.get_text() for text in panel.texts if text.get_gid() == gid]


def rows(panel):
    return [label.get_text() for label in panel.get_yticklabels()]


def test_a_cell_has_what_became_of_its_lines_in_all_trials(as_runs, options):
    split = copy("syslog", kind("plain", 7),
                 kind("line_feed", 2, difference(5), changed=3, missing=1))
    name, panel = drawn(as_runs(compared([split, WHOLE], [split, WHOLE])), options)
    assert name == "parity"
    assert rows(panel) == ["file", "syslog"]
    assert texts(panel, "cell") == ["same", "same", "same", "6 changed\n2 missing"]
    assert texts(panel, "fact") == ["", "line 5, byte 7:\n\\n \u2192 #012"]


def test_the_first_difference_is_that_of_the_lowest_line(as_runs, options):
    cut = copy("file", kind("plain", 0, difference(40, "0123456789abcdef", ""), cut=7),
               kind("nul", 0, difference(4, "\\x00key", "key"), changed=6))
    _, panel = drawn(as_runs(compared([cut])), options)
    assert texts(panel, "fact") == ["line 4, byte 7:\n\\x00key \u2192 key"]
    assert texts(panel, "cell") == ["7 cut", "6 changed"]
    assert parity.fact(difference(1, "0123456789abcdef", "")).endswith(
        "0123456789a\u2026 \u2192 its end")


def test_a_run_of_one_sink_has_its_name(as_runs, options):
    runs = as_runs(compared([WHOLE], sink="a"), compared([WHOLE], sink="b"))
    assert rows(drawn(runs, options)[1]) == ["a", "b"]


def test_what_cannot_be_read_back_is_noted(as_runs, options):
    runs = as_runs(compared([WHOLE], sink="a"), compared([], sink="null"))
    [(_, figure)] = list(parity.draw(runs, options))
    assert any("Cannot be read back: null" in text.get_text() for text in figure.texts)


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario parity"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
