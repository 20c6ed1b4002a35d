"""Hostile texts in every text of a result and of a verdict: every kind of plot is drawn, its SVG is
well formed, and what is printed cannot control the terminal."""
import json
import pathlib
import re
import sys
import warnings
import xml.etree.ElementTree as ElementTree

import pytest

import command
import plot
import printable
import results
import shift
import testing
from shift_test import verdict

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "results/fixtures"
# Few texts that hold many, since drawing takes seconds.
HOSTILE = ["\x1b[2J\x1b[31mred\x07 \x9b31m \x00nul \x7f \x0b one\r\ntwo\ttab \u202egnp\u2066",
           "$x^2$ \\frac{1}{2} $unbalanced_{ %s {} {0} <script>&lt; ]]> --> <!-- \"'`;|",
           "_hidden -rf ../../x /etc/passwd", "A" * 100_000]
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
KEPT = {"format", "hdr", "outcome", "shape", "pacing", "mode", "measure", "decision", "effect_kind",
        "role", "kind"}


def hostile(value, text, key=""):
    """The value with the text in every field that takes any text."""
    if isinstance(value, dict):
        return {name: hostile(entry, text, name) for name, entry in value.items()}
    if isinstance(value, list):
        return [hostile(entry, text, key) for entry in value]
    return text if isinstance(value, str) and key not in KEPT else value


def sources():
    """Results that together fill every kind of plot, and the newest fixture with every field."""
    swept = testing.sweep([(1000.0, 1000.0, False, {100: 9}), (2000.0, 1500.0, True, {900: 9})])
    swept["version"] = 3
    swept |= {"controls": [], "explained": False, "traced": [], "disturbance": []}
    for step in swept["summary"]:
        step |= {"overhead": testing.roles(logging=1, provider=2), "controls": 0}
    causes = testing.explained([testing.tail(causes=[("running", 5000), ("x", 100)],
                                             culprits=[("thread", 4000)])])
    newest = max(FIXTURES.glob("v*.json"))
    closed = testing.steady([{5: 9}], rate_hz=0.0)
    closed["trials"][0]["ledger"] |= {"emitted": 10, "lost": 4, "losses": [
        {"cause": "full", "reported_by": "session", "events": 4}]}
    return [swept, causes, closed, json.loads(newest.read_text()), *answered()]


def answered():
    """A result for each plot of an answer."""
    return [testing.crashed({"program_gone_events": (3, 1, 9), "program_gone_ns": (30, 10, 90)},
                            cannot=["kill daemon: no process of its own"]),
            testing.stopped({1: 50, 99_000_000: 50}, [{1: 5}] * 2, stop_ns=300e6),
            testing.tried("capacity", [(testing.load(), [{}])], {"capacity_hz": 9.0}),
            testing.tried("payload", [(testing.load(payload="64"), [{}])],
                          {"at_64_bytes_service_p50_ns": 9.0, "limit_bytes": 64.0}),
            testing.tried("fields", [(testing.load(), [{}])],
                          {"without_service_p50_ns": 9.0, "text_per_field_ns": (1, 0, 2),
                           "text_4_service_p50_ns": 13.0}),
            testing.tried("stacks", [(testing.load(), [{}])],
                          {"frames_1_capture_ns": (-1, -3, 2), "per_frame_ns": (9, 8, 11)}),
            testing.toggled({"missed_ns": (3, 1, 9), "lost_between_events": 1},
                            cannot=["disable session: no"]),
            testing.answered(testing.steady([{5: 9}], scenario="disabled"), "disabled",
                             {"off_cost_ns": (3, 1, 9), "on_cost_ns": 30.0}),
            testing.answered(testing.steady([{5: 9}], scenario="realtime"), "realtime",
                             {"at_10_hz_delivery_p50_ns": (3, 1, 9), "slow_lost_events": 30.0}),
            testing.tried("queue", [(testing.load(), [{}])], {
                "queued_at_1000_hz_p50_ratio": 0.5, "direct_at_1000_hz_service_p50_ns": 9.0,
                "queued_at_1000_hz_service_p50_ns": 4.5}),
            testing.tried("retention", [(testing.load(), [{"storage": {
                "looks": 1, "before_bytes": 0, "kept": [
                    {"at_ns": 5, "bytes": 9, "most_bytes": 9, "files": 1}]}}])],
                          {"cap_bytes": 9.0, "history_ns": 9.0}),
            testing.tried("contention", [(testing.load(), [{}])],
                          {"threads_1_worst_p99_ns": 9.0, "threads_2_worst_p99_ns": 9.0,
                           "threads_2_times_one": 1.5, "threads_2_fairness": 0.9}),
            testing.tried("sessions", [(testing.load(), [{}])],
                          {"sessions_1_service_p50_ns": 9.0, "per_session_service_p50_ns": 1.0,
                           "per_session_share": 0.1}),
            testing.tried("soak", [(testing.load(), [{
                "intervals": [testing.interval(700_000_000, 800_000_000, {5: 9})]}])],
                          {"response_p99_ns_per_h": (1.0, -1.0, 9.0)}),
            compared(), testing.tried("kernel_flags", [(testing.load(), [{}])],
                                      {"irq_call_p50_ns": 9.0, "irq_records_per_s": 9.0})]


def compared():
    """A result with a line that came back changed."""
    first = {"thread": 0, "sequence": 3, "offset_bytes": 7, "expected": "a", "found": "b"}
    kind = {"kind": "nul", "lines": 9, "same": 8, "cut": 0, "changed": 1, "missing": 0,
            "first": first}
    copy = {"sink": "file", "kinds": [kind], "twice": 0, "foreign": 0}
    return testing.tried("parity", [(testing.load(payload="lines(4096)"), [{"copies": [copy]}])],
                         {"differing_lines": 1.0})


def with_names(made, own):
    """The hostile result with the names by which a plot finds its answer's figures and actions."""
    if "answer" in own:
        made["answer"]["question"] = own["answer"]["question"]
        for figure, known in zip(made["answer"]["figures"], own["answer"]["figures"]):
            figure["name"] = known["name"]
        for trial, known in zip(made["trials"], own["trials"]):
            trial |= {key: known[key] for key in ("actions",) if key in known}
    return made


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_every_kind_of_plot_is_drawn(text, tmp_path, capsys):
    for number, data in enumerate(sources()):
        testing.write(tmp_path, with_names(hostile(data, text), data), f"{number}.json")
    out = tmp_path / "plots"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from current font")
        with pytest.raises(SystemExit) as ended:
            command.main(plot.KINDS, [str(tmp_path), "--out", str(out), "--format", "svg"])
    printed = capsys.readouterr()
    assert ended.value.code == 0, printed.err
    assert not UNSAFE.search(printed.out + printed.err)
    made = sorted(path.name for path in out.iterdir())
    assert {name.split("-")[0] for name in made} == set(plot.KINDS)
    for path in out.glob("*.svg"):
        ElementTree.parse(path)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_verdict_is_drawn(text, tmp_path, capsys):
    made = hostile(verdict(), text)
    for metric, own in zip(made["metrics"], verdict()["metrics"]):
        metric["name"] = own["name"]  # by which the plot finds its quantile
    path = testing.write(tmp_path, made)
    with pytest.raises(SystemExit) as ended:
        shift.main([str(path), "--out", str(tmp_path)])
    printed = capsys.readouterr()
    assert ended.value.code == 0, printed.err
    assert not UNSAFE.search(printed.out + printed.err)
    [svg] = tmp_path.glob("shift-*.svg")
    ElementTree.parse(svg)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_an_error_quotes_it_and_controls_nothing(text, tmp_path, capsys):
    data = hostile(testing.steady([{5: 1}]), text)
    for broken in (data | {"trials": text}, data | {"version": text}, {"format": text}):
        path = testing.write(tmp_path, broken)
        with pytest.raises(SystemExit) as ended:
            command.main(plot.KINDS, [str(path)])
        assert ended.value.code == 2
        assert not UNSAFE.search(capsys.readouterr().err)


def test_a_file_name_that_is_not_utf8_is_shown(tmp_path, capsys):
    path = tmp_path / "r\udcff\x1b[2J.json"
    path.write_text("{}")
    with pytest.raises(SystemExit):
        command.main(plot.KINDS, [str(path)])
    assert "r??[2J.json" in capsys.readouterr().err


def test_a_name_with_an_underscore_is_in_the_legend(as_runs, options):
    sinks = [testing.steady([{5: 9}], sink=f"_hidden{k}") for k in range(40)]
    [(_, figure)] = plot.KINDS["percentiles"](as_runs(*sinks), options)
    legend = figure.axes[0].get_legend()
    assert "_hidden0, p99 5 ns" in [text.get_text().strip() for text in legend.get_texts()]


def test_texts_are_shown_as_they_are_in_markdown():
    assert printable.markdown("a|b _c_ d_e <x> $1$") == r"a\|b \_c\_ d_e \<x\> \$1\$"
    assert printable.markdown_code("file:mode=mmap") == "`file:mode=mmap`"
    assert printable.markdown_code("a|`b`") == r"a\|\`b\`"
    assert printable.markdown("plain µs – 2 %") == "plain µs – 2 %"


def test_the_scripts_print_through_one_module():
    for path in pathlib.Path(__file__).parent.glob("*.py"):
        if path.stem in ("printable", "hostile_test") or path.stem.endswith("_test"):
            continue
        # These two lines say which package is missing, before anything else is there.
        lines = [line for line in path.read_text().splitlines()
                 if re.search(r"\bprint\(|sys\.std(out|err)\.write", line)
                 and "cannot import" not in line]
        assert not lines, f"{path.name}: {lines}"


def test_results_are_drawable_when_loaded(tmp_path):
    run = results.load(testing.write(tmp_path, hostile(testing.steady([{5: 1}]), "\x1b$" * 900)))
    assert run.label.startswith("?$?$") and len(run.label) == printable.MOST_CHARACTERS
    assert sys.getsizeof(run.data["sink"]["label"]) < 2000
