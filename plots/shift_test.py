"""Compares the drawn shifts and margins of a verdict with known ones."""
import json
import math

import pytest

import results
import shift
import testing

VALUES = {1000: 900, 2000: 95, 5000: 5}


def metric(name, decision, effect, margin):
    return {"name": name, "unit": "ns", "effect_kind": "ratio", "decision": decision,
            "reason": "", "waiver": "", "median_a": 1000.0, "median_b": 1000.0 * (1 + effect),
            "effect": effect, "margin": margin, "statistic": 0.0, "p_within": 0.5,
            "p_no_change": 0.5, "p_beyond": 0.5}


def verdict(**changes):
    """A verdict whose quantiles shift by 10 %, with intervals from 8 to 12 %."""
    made = {
        "format": "tailgate-verdict", "version": 1, "outcome": "fail", "duet": "duet.json",
        "duet_id": "d1", "policy": "built in", "method": "looks", "looks": [15, 50],
        "false_fail": 0.001, "false_pass": 0.05, "a": "file", "b": "file",
        "a_revision": "0123456789abcdef", "b_revision": "fedcba9876543210", "scenario": "steady",
        "sink": "file", "fingerprint": "a1b2c3d4", "label": "", "load": testing.load(),
        "rounds_used": 15,
        "rounds_recorded": 50, "reasons": [{"what": "it rose", "remedy": "revert it"}],
        "remarks": [{"what": "beware", "remedy": "so"}],
        "metrics": [metric("response_ns_p50", "fail", 0.1, 0.05),
                    metric("response_ns_p99", "pass", 0.1, 0.15),
                    metric("response_ns_p99_9", "reported", 0.1, 0.0),
                    metric("rss_bytes", "pass", 0.0, 0.05)],
        "shifts": [{"quantile": q, "ratio": 1.1, "low": 1.08, "high": 1.12}
                   for q in (0.5, 0.9, 0.99)],
        "response_a": testing.latency(VALUES),
        "response_b": testing.latency({value * 11 // 10: n for value, n in VALUES.items()})}
    return made | changes


def drawn(tmp_path, data):
    [run] = shift.load(testing.write(tmp_path, data))
    name, figure = shift.draw(run)
    return name, figure.axes


def test_points_are_the_logarithms_of_the_ratios(tmp_path, line):
    name, [shifts, _] = drawn(tmp_path, verdict())
    assert name == "shift-steady@file"
    x, y = line(shifts, "shift")
    assert x == pytest.approx([2, 10, 100])
    assert y == pytest.approx([math.log(1.1)] * 3)


def test_margins_stand_at_their_quantiles(tmp_path, line):
    _, [shifts, _] = drawn(tmp_path, verdict())
    x, y = line(shifts, "response_ns_p99 margin")
    assert x[0] < 100 < x[1]
    assert shift.quantile_of({"name": "response_ns_p99_9"}) == 0.999
    assert shift.quantile_of({"name": "response_ns_max"}) is None
    assert y == pytest.approx([math.log(1.15)] * 2)
    assert line(shifts, "response_ns_p50 fail") == [[2.0], pytest.approx([math.log(1.1)])]
    labels = [one.get_label() for one in shifts.lines]
    assert not [label for label in labels if "p99_9" in label or "rss" in label]


def test_red_is_for_fail_alone_and_up_is_slower(tmp_path):
    _, [shifts, times] = drawn(tmp_path, verdict())
    red = [one.get_label() for panel in (shifts, times) for one in panel.lines
           if one.get_color() == shift.FAIL]
    assert red == ["response_ns_p50 fail"]
    red_value, green, blue = (int(shift.FAIL[k:k + 2], 16) for k in (1, 3, 5))
    assert red_value > 180 and green < 40 and blue < 40
    assert "up = slower" in shifts.get_ylabel()
    assert shift.words(verdict()).title_color == shift.FAIL
    assert shift.words(verdict(outcome="pass")).title_color == "black"


def test_a_very_wide_interval_does_not_squeeze_the_gated_quantiles(tmp_path, line):
    wild = {"quantile": 0.999, "ratio": 1.2, "low": 0.9, "high": 100.0}
    data = verdict()
    _, [shifts, _] = drawn(tmp_path, verdict(shifts=[*data["shifts"], wild]))
    low, high = shifts.get_ylim()
    assert low < 0 and math.log(1.15) < high < math.log(2)
    assert line(shifts, "cut") == [[pytest.approx(1000)], [pytest.approx(high)]]
    assert shift.percent_text(math.log(100)) == "\u00d7100"


def test_both_distributions_are_drawn(tmp_path, line):
    _, [_, times] = drawn(tmp_path, verdict())
    a = line(times, "A: file (0123456789)")
    b = line(times, "B: file (fedcba9876)")
    assert a[1][0] == pytest.approx(1000, rel=1e-3) and b[1][0] == pytest.approx(1100, rel=1e-3)
    assert a[0][-1] == b[0][-1] == 1000


def test_the_caption_has_the_outcome_and_its_reason():
    words = shift.words(verdict())
    assert words.title == "FAIL: file \u2013 steady, 10k events/s"
    assert words.subtitle == "B: file (fedcba9876) against A: file (0123456789); 15 of 50 rounds"
    assert shift.words(verdict(b_revision="0123456789abcdef")).subtitle.endswith(
        "; revision 0123456789")
    assert words.notes == ["it rose", "! beware"]
    assert shift.words(verdict(label="Wine: smoke")).banner == "Wine: smoke"


def test_ticks_are_round_in_percent():
    texts = [shift.percent_text(step) for step in shift.percent_steps(-0.06, 0.12)]
    assert texts == ["\u22125 %", "0 %", "+5 %", "+10 %"]
    assert shift.percent_text(math.log(3)) == "+200 %"
    assert len(shift.percent_steps(math.log(0.5), math.log(40))) <= 6


def test_a_verdict_without_rounds_is_skipped(tmp_path, capsys):
    path = testing.write(tmp_path, [verdict(shifts=[])])
    with pytest.raises(SystemExit) as end:
        shift.main([str(path)])
    assert end.value.code == 1
    assert "skipped" in capsys.readouterr().err


def test_the_command_writes_one_plot_per_verdict(tmp_path):
    path = testing.write(tmp_path, [verdict(), verdict(outcome="pass")])
    with pytest.raises(SystemExit) as end:
        shift.main([str(path), "--out", str(tmp_path / "plots")])
    assert end.value.code == 0
    names = sorted(file.name for file in (tmp_path / "plots").iterdir())
    assert names == [f"shift-steady@file-{n}.{suffix}" for n in (1, 2) for suffix in ("png", "svg")]


@pytest.mark.parametrize("content, words", [
    ("{", "not JSON"), ("[1]", "no verdict"), ('{"format": "tailgate-result"}', "no verdict"),
    (json.dumps(verdict(version=2)), "version 2, known are 1 to 1"),
    (json.dumps(verdict(outcome=3)), "verdict 0: outcome: 3 is not of type 'string'"),
    (json.dumps(verdict(shifts=[{"quantile": 0.5}])),
     "shifts[0]: 'ratio' is a required property"),
    (json.dumps(verdict(shifts=[{"quantile": 1, "ratio": 1}])), "a quantile is 1"),
    (json.dumps(verdict(shifts=[{"quantile": 0.5, "ratio": 0}])), "ratio at quantile 0.5")],
    ids=lambda text: text if len(text) < 60 else "")
def test_a_file_that_is_not_a_verdict_is_refused(tmp_path, capsys, content, words):
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(SystemExit) as end:
        shift.main([str(path)])
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert words in error and "x.json" in error


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(results.ResultError, match="give what"):
        list(shift.load(tmp_path / "none.json"))
