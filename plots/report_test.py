"""Compares the parts of a report's page with what went into it."""
import base64
import re
from html.parser import HTMLParser

import pytest

import payload_test
import report
import report_figures
import report_findings
import report_page as page
import report_verdicts
import results
import shift_test
import testing

HOSTILE = '"><script>alert(1)</script>\x1b[2J'


class Reader(HTMLParser):
    """The tags of a page with their attributes, and the texts of its cells, row by row."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.rows, self._in_cell = [], [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        self._in_cell = tag == "td" or dict(attrs).get("scope") == "row"
        if self._in_cell:
            self.rows[-1].append("")

    def handle_data(self, data):
        if self._in_cell:
            self.rows[-1][-1] += data

    def handle_endtag(self, tag):
        self._in_cell = False

    def attributes(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def runs(tmp_path, *documents):
    return [results.load(testing.write(tmp_path, data, f"{number}.json"))
            for number, data in enumerate(documents)]


def metric(name, decision, effect, margin):
    return shift_test.metric(name, decision, effect, margin)


def test_texts_of_others_are_shown_and_not_obeyed():
    html = page.document(HOSTILE, [page.paragraph(HOSTILE), page.warning(HOSTILE)],
                         [page.section("x", HOSTILE, page.figure(b"<svg/>", HOSTILE, [HOSTILE]),
                                       page.download(HOSTILE, HOSTILE),
                                       page.table(HOSTILE, [HOSTILE], [[page.Cell(HOSTILE)]]))])
    read = Reader(html)
    assert [name for name, _ in read.tags].count("script") == 1  # the page's own
    assert "\x1b" not in html
    assert read.rows[1] == ['"><script>alert(1)</script>?[2J']


def test_nothing_is_loaded_from_elsewhere():
    html = page.document("x", [], [page.section("a", "A", page.figure(b"<svg/>", "f", ["t"]),
                                                page.download("a,b\n", "x.csv"))])
    for _, attributes in Reader(html).tags:
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:"))
    assert "http" not in html and "@import" not in html and "url(" not in html


def test_what_is_saved_is_what_was_given():
    read = Reader(page.figure(b"<svg>1</svg>", "f", ["t"]) + page.download("a,b\nµ,2\n", "x.csv"))
    image, table = (base64.b64decode(link.partition("base64,")[2]) for link in (
        read.attributes("img")[0]["src"], read.attributes("a")[-1]["href"]))
    assert image == b"<svg>1</svg>"
    assert table.decode() == "a,b\nµ,2\n"


def test_an_image_says_in_words_what_it_shows():
    [image] = Reader(page.figure(b"", "f", ["Which?", "! busy"])).attributes("img")
    assert image["alt"] == "Which? ! busy"


def test_rows_that_nobody_has_to_look_at_are_shown_on_request():
    rows = [[page.Cell("1", 1)], [page.Cell("2", 2)]]
    html = page.table("t", ["a"], rows, quiet=[False, True], quiet_words="that passed")
    assert ["data-quiet" in row for row in Reader(html).attributes("tr")] == [False, False, True]
    assert "also the 1 that passed" in html
    for all_are in (False, True):
        html = page.table("t", ["a"], rows, quiet=[all_are, all_are])
        assert "checkbox" not in html and "data-quiet" not in html
    html = page.table("t", ["a"], rows * page.FEW_ROWS, quiet=[True] * 2 * page.FEW_ROWS,
                      quiet_words="that passed")
    assert "also the 100 that passed" in html and html.count("<tr data-quiet>") == 100


def test_large_ratios_are_factors():
    large = metric("stop_ms", "pass", 0.1, 128.0)
    assert report_verdicts.amount(large, "margin") == "\u00d7129"
    assert report_verdicts.amount(large, "effect") == "+10 %"


def figures_of(tmp_path, *documents):
    [part] = report_figures.tables_of_figures(runs(tmp_path, *documents))
    return Reader(part.html).rows[1:]


def test_figures_are_those_of_the_summary(tmp_path):
    [row] = figures_of(tmp_path, testing.steady([{1500: 999, 9000: 1}]))
    assert row == ["file", "steady", "10k events/s, 128 B", "10k/s", "1.5 \u00b5s", "1.5 \u00b5s",
                   "1.5 \u00b5s", "9 \u00b5s", "0", "\u2013", "1", ""]


def test_quantiles_without_an_event_beyond_them_are_no_figures(tmp_path):
    [row] = figures_of(tmp_path, testing.steady([{1500: 50}]))
    assert row[4:8] == ["1.5 \u00b5s", "\u2013", "\u2013", "1.5 \u00b5s"]


def test_losses_and_a_busy_machine_stand_in_the_row(tmp_path):
    data = testing.steady([{1000: 200}])
    data["trials"][0]["ledger"].update(lost=20, delivered=180)
    data["trials"][0]["noise"]["lost_share"] = 0.3
    [row] = figures_of(tmp_path, data)
    assert row[8] == "10 %"
    assert row[11] == "machine busy: 1 of 1 trials"


def test_a_sink_that_lost_everything_has_no_times_and_comes_last(tmp_path):
    lossy = testing.steady([{10: 200}], sink="lossy")
    lossy["trials"][0]["ledger"].update(lost=200, delivered=0)
    rows = figures_of(tmp_path, lossy, testing.steady([{900: 200}]))
    assert [row[0] for row in rows] == ["file", "lossy"]
    assert rows[1][4:9] == ["\u2013"] * 4 + ["100 %"]


def test_trials_that_failed_or_were_not_read_back_are_counted(tmp_path):
    data = testing.steady([{900: 200}] * 3, complete=False)
    data["trials"][1]["outcome"] = "hung"
    data["trials"][2]["ledger"]["checked"] = False
    [row] = figures_of(tmp_path, data)
    assert row[8] == "not read back: 1 of 3 trials"
    assert row[11] == "hung: 1 of 3 trials, ended before its last trial"


def test_the_headline_names_what_got_worst_against_its_margin():
    fails = shift_test.verdict(metrics=[metric("response_ns_p50", "fail", 0.10, 0.05),
                                        metric("response_ns_p99", "fail", 0.90, 0.15),
                                        metric("rss_bytes", "pass", 0.0, 0.05)])
    passes = shift_test.verdict(outcome="pass", metrics=[])
    assert report_verdicts.headline([passes, fails]) == (
        "FAIL in 1 of 2 duets: file, steady: response_ns_p99 +90 %, tolerated 15 %, and 1 more")


@pytest.mark.parametrize("outcomes, words", [
    (["pass"], "PASS: nothing got worse by more than is tolerated"),
    (["pass", "pass"], "PASS in 2 of 2 duets: nothing got worse by more than is tolerated"),
    (["pass", "inconclusive"], "INCONCLUSIVE in 1 of 2 duets: file (steady): it rose"),
    (["inconclusive", "invalid"], "INVALID in 1 of 2 duets: file (steady): it rose"),
])
def test_the_worst_outcome_is_that_of_all(outcomes, words):
    assert report_verdicts.headline(
        [shift_test.verdict(outcome=one, metrics=[]) for one in outcomes]) == words


def test_where_reasons_differ_the_headline_says_what_they_come_to():
    verdicts = [shift_test.verdict(outcome="inconclusive", metrics=[],
                                   reasons=[{"what": f"{rounds} rounds.", "remedy": ""}])
                for rounds in (1, 2)]
    assert report_verdicts.headline(verdicts) == (
        "INCONCLUSIVE in 2 of 2 duets: file (steady); file (steady): not enough rounds to decide")


def test_duets_that_pass_fold_behind_those_that_do_not():
    passed = [shift_test.verdict(outcome="pass", sink=sink) for sink in ("spdlog", "lttng")]
    html = report_verdicts.section_of([*passed, shift_test.verdict()], [""] * 3).html
    shown, rest = html.split("<details>", 1)
    folded, _ = rest.split("</details>", 1)
    assert "FAIL: file" in shown and "PASS" not in shown
    assert folded.startswith("<summary>PASS: 2 duets</summary>")
    assert "PASS: spdlog" in folded and "PASS: lttng" in folded
    assert "<details>" not in report_verdicts.section_of(passed[:1], [""]).html


def test_a_duet_that_passes_with_an_improvement_does_not_fold():
    passed = [shift_test.verdict(outcome="pass", metrics=[metric("rss_bytes", "pass", 0, 0.25)],
                                 sink=sink) for sink in ("spdlog", "lttng")]
    for effect_high, is_shown in ((-0.19, False), (-0.21, True)):
        improved = metric("rss_bytes", "pass", -0.3, 0.25) | {"effect_high": effect_high}
        better = shift_test.verdict(outcome="pass", sink="ftrace", metrics=[improved])
        html = report_verdicts.section_of([better, *passed], [""] * 3).html
        assert ("PASS: ftrace" in html.split("<details>")[0]) == is_shown


def test_of_a_duet_without_rounds_nothing_is_said_but_why():
    missing = shift_test.verdict(outcome="inconclusive", rounds_recorded=0, rounds_used=0,
                                 a_revision="", b_revision="", metrics=[], remarks=[])
    html = report_verdicts.section_of([missing], [""]).html
    assert "INCONCLUSIVE: file, steady. It rose." in html
    assert "rounds; policy" not in html


def test_a_fail_without_a_metric_says_why():
    assert report_verdicts.headline([shift_test.verdict(metrics=[])]) == (
        "FAIL: file, steady: it rose")


def test_only_what_got_worse_is_shown_at_first():
    html = report_verdicts.section_of([shift_test.verdict()], [""]).html
    shown = {row[0]: "data-quiet" not in attributes
             for row, attributes in zip(Reader(html).rows[1:], Reader(html).attributes("tr")[1:])}
    assert shown == {"response_ns_p50": True, "response_ns_p99": False,
                     "response_ns_p99_9": False, "rss_bytes": False}


def test_metrics_that_failed_come_first():
    metrics = [metric("rss_bytes", "undecided", 0.0, 0.05), metric("response_ns_p50", "fail", 1, 1)]
    rows = Reader(report_verdicts.section_of([shift_test.verdict(metrics=metrics)], [""]).html).rows
    assert [row[0] for row in rows[1:]] == ["response_ns_p50", "rss_bytes"]


def test_a_verdict_says_why_what_to_do_and_what_else_to_know():
    html = report_verdicts.section_of([shift_test.verdict()], [""]).html
    assert "It rose. To do: revert it." in html
    assert "A: file of 0123456789, B: file of fedcba9876. 15 of 50 rounds" in html
    assert '<p class="warning">beware. To do: so.</p>' in html
    named = shift_test.verdict() | {"b": "fedcba9876"}
    assert "B: fedcba9876. 15 of 50" in report_verdicts.section_of([named], [""]).html


def test_several_reasons_are_a_list_and_what_to_do_is_said_once():
    reasons = [{"what": f"response_ns_{one} rose.", "remedy": "revert it."}
               for one in ("p50", "p99")]
    html = report_verdicts.section_of([shift_test.verdict(reasons=reasons)], [""]).html
    assert "<li>response_ns_p50 rose.</li><li>response_ns_p99 rose.</li>" in html
    assert html.count("To do: revert it.") == 1
    reasons[1]["remedy"] = "wait"
    html = report_verdicts.section_of([shift_test.verdict(reasons=reasons)], [""]).html
    assert ("<li>response_ns_p50 rose. To do: revert it.</li>"
            "<li>response_ns_p99 rose. To do: wait.</li>") in html


def part(cause, name, difference_ns, **more):
    return {"cause": cause, "name": name, "module": "", "caller": "", "a_ns": 100.0,
            "b_ns": 100.0 + difference_ns, "difference_ns": difference_ns, "distinct": True} | more


def test_why_b_differs_is_a_table_of_parts():
    parts = [part("function", "(anonymous namespace)::checksum(char const*)", 38.0,
                  module="mylog.so", caller="emit",
                  low_ns=33.0, high_ns=44.0),
             part("syscall", "write", -4.0, distinct=False), part("rest", "", 0.0, distinct=False)]
    difference = {"rounds": 8, "samples": 12000, "limits": "",
                  "sums": [{"measure": "call", "processes": "", "parts": parts},
                           {"measure": "daemons", "processes": "systemd-journald",
                            "parts": [part("waiting", "", 600.0)]}]}
    html = report_verdicts.section_of([shift_test.verdict(difference=difference)], [""]).html
    table = html[html.index("why B differs, by 8 traced rounds"):]
    rows = Reader(table).rows[1:]
    assert [(row[0], row[4], row[7]) for row in rows] == [
        ("checksum(char const*) in mylog.so", "a call", "emit"),
        ("on a processor: system call: write", "a call", "\u2013"),
        ("all the rest", "a call", "\u2013"),
        ("waiting for the processor", "processor time an event, systemd-journald", "\u2013")]
    assert rows[0][1:4] == ["+38 ns", "+33 ns to +44 ns", "no"]
    assert rows[0][5:7] == ["100 ns", "138 ns"]
    assert rows[1][1:4] == ["\u22124 ns", "\u2013", "yes"]
    hidden = ["data-quiet" in attributes for attributes in Reader(table).attributes("tr")[1:]]
    assert hidden == [False, True, True, False]


def test_why_b_loses_more_is_a_table_of_causes():
    losses = {"measure": "losses", "unit": "per million events", "parts": [
        {"cause": "loss", "name": "overrun", "module": "provider", "caller": "", "a": 0.0,
         "b": 1200.0, "difference": 1200.0, "low": 1150.0, "high": 1250.0, "distinct": True},
        {"cause": "rest", "name": "", "module": "", "caller": "", "a": 0.0, "b": 0.0,
         "difference": 0.0, "distinct": False}]}
    difference = {"rounds": 8, "samples": 0, "limits": "", "sums": [], "amounts": [losses]}
    html = report_verdicts.section_of([shift_test.verdict(difference=difference)], [""]).html
    assert "Chance explains" not in html
    table = html[html.index("why B differs, by 8 traced rounds"):]
    [overrun, rest] = Reader(table).rows[1:]
    assert overrun[:8] == ["overrun", "+1,200", "+1,150 to +1,250", "no",
                           "losses, per million events", "0", "1,200", "provider"]
    assert rest[:4] == ["all the rest", "+0", "\u2013", "yes"]


def test_why_b_has_more_memory_is_a_table_of_functions():
    memory = {"measure": "memory", "unit": "bytes", "parts": [
        {"cause": "memory", "name": "Cache::grow", "module": "app",
         "caller": "Cache::insert", "a": 0.0, "b": 24_590_000.0,
         "difference": 24_590_000.0, "low": 24_580_000.0, "high": 24_600_000.0, "distinct": True},
        {"cause": "memory", "name": "before the trace", "module": "", "caller": "", "a": 61_000.0,
         "b": 60_000.0, "difference": -1000.0, "distinct": False}]}
    difference = {"rounds": 8, "samples": 0, "limits": "", "sums": [], "amounts": [memory]}
    html = report_verdicts.section_of([shift_test.verdict(difference=difference)], [""]).html
    assert "Why B loses" not in html
    table = html[html.index("why B differs, by 8 traced rounds"):]
    [grown, before] = Reader(table).rows[1:]
    assert grown[:7] == ["Cache::grow in app", "+24.59 MB", "+24.58 MB to +24.6 MB", "no", "0 B",
                         "24.59 MB", "Cache::insert"]
    assert before[:6] == ["before the trace", "\u22121000 B", "\u2013", "yes", "61 kB", "60 kB"]


def test_what_b_allocated_is_a_table_of_sizes():
    allocated = {"measure": "allocated", "unit": "bytes", "parts": [
        {"cause": "allocated", "name": "blocks of 33 to 64 bytes", "module": "",
         "caller": "Cache::insert", "a": 0.0, "b": 24_590_000.0, "difference": 24_590_000.0,
         "low": 24_580_000.0, "high": 24_600_000.0, "distinct": True}]}
    difference = {"rounds": 8, "samples": 0, "limits": "", "sums": [], "amounts": [allocated]}
    html = report_verdicts.section_of([shift_test.verdict(difference=difference)], [""]).html
    table = html[html.index("What B allocated"):]
    assert ">Size<" in table
    [_, blocks] = Reader(table).rows
    assert blocks[:7] == ["blocks of 33 to 64 bytes", "+24.59 MB", "+24.58 MB to +24.6 MB", "no",
                          "0 B", "24.59 MB", "Cache::insert"]


def test_what_was_not_measured_has_no_figures():
    unmeasured = metric("rss_bytes", "unmeasured", 0.0, 0.05)
    [_, row] = Reader(report_verdicts.section_of(
        [shift_test.verdict(metrics=[unmeasured])], [""]).html).rows
    assert row[3:8] == ["\u2013", "not gated"] + ["\u2013"] * 3


def test_a_finding_is_a_row_for_each_of_its_series():
    series = {"scenario": "steady", "sink": "file", "metric": "response_ns_p99",
              "change_percent": 25.04, "last_before": "2026-11-20", "first_after": "2026-11-21"}
    finding = {"found_night": "2026-11-23", "course": "worse", "state": "open", "is_creep": False,
               "revision_before": "a" * 40, "revision_after": "b" * 40, "reason": "",
               "machines_text": "all 12 machines of its group",
               "series": [series, series | {"metric": "response_ns_p50"}],
               "events": [{"night": "2026-11-21", "machine": "m1",
                           "changes": ["kernel: 6.1 -> 6.2"]}]}
    rows = Reader(report_findings.section_of_findings([finding]).html).rows[1:]
    assert [row[5] for row in rows] == ["response_ns_p99", "response_ns_p50"]
    assert rows[0] == ["2026-11-23", "worse", "open", "file", "steady", "response_ns_p99", "+25 %",
                       "2026-11-20 to 2026-11-21", "aaaaaaaaaa..bbbbbbbbbb",
                       "all 12 machines of its group", "2026-11-21: m1: kernel: 6.1 -> 6.2", ""]
    assert "No level changed" in report_findings.section_of_findings([]).html


def test_a_program_that_cannot_be_asked_is_named(tmp_path):
    with pytest.raises(results.ResultError, match="none/tailgate: No such file"):
        report.asked("none/tailgate", "export", "answer", "x")
    script = tmp_path / "fails"
    script.write_text("#!/bin/sh\necho 'error: no room' >&2\nexit 1\n")
    script.chmod(0o700)
    with pytest.raises(results.ResultError, match="^no room$"):
        report.asked(str(script), "export", "answer", "x")


def test_paragraphs_of_a_terminal_are_lines():
    assert report.paragraphs("  Best:\n  file.\n\n  Machine:\n  free.\n") == [
        "Best: file.", "Machine: free."]


def test_a_damaged_file_hides_no_other(tmp_path, capsys):
    testing.write(tmp_path, testing.steady([{900: 10}]), "good.json")
    (tmp_path / "damaged.json").write_text("{")
    (tmp_path / "duet.json").write_text("{}")
    found = report.collect([tmp_path])
    assert [run.path.name for run in found.runs] == ["good.json"]
    assert len(found.damaged) == 1 and "damaged.json" in capsys.readouterr().err


def test_verdicts_and_results_of_a_night_are_found(tmp_path):
    (tmp_path / "results").mkdir()
    testing.write(tmp_path / "results", testing.steady([{900: 10}]), "r.json")
    testing.write(tmp_path, [shift_test.verdict()], "verdict.json")
    (tmp_path / "plots").mkdir()
    testing.write(tmp_path / "plots", [shift_test.verdict()], "verdict.json")
    found = report.collect([tmp_path])
    assert (len(found.runs), len(found.verdicts)) == (1, 1)
    (tmp_path / "verdict.json").unlink()
    assert len(report.collect([tmp_path]).verdicts) == 1


def test_a_file_that_is_named_twice_counts_once(tmp_path):
    path = testing.write(tmp_path, testing.steady([{900: 10}]))
    assert len(report.collect([path, tmp_path, path]).runs) == 1


def test_a_damaged_histogram_leaves_out_its_plots_alone(tmp_path):
    good = testing.steady([{900: 10}])
    bad = testing.steady([{900: 10}], scenario="burst")
    bad["summary"][0]["response"]["hdr"] = "AAAA"
    testing.write(tmp_path, good, "good.json")
    testing.write(tmp_path, bad, "bad.json")
    found = report.collect([tmp_path])
    titles = [part.title for part in report.plots(found)]
    assert "Plots: steady" in titles and any("bad.json" in text for text in found.damaged)


def test_runs_with_a_question_are_in_the_plot_of_their_answer_alone(tmp_path):
    data = payload_test.sized(payload_test.COSTS, beyond=1025)
    testing.write(tmp_path, data, "payload.json")
    found = report.collect([tmp_path])
    [part] = report.plots(found)
    assert [image["alt"].split("?")[0] for image in Reader(part.html).attributes("img")] == [
        "What does an event's size cost, and how large may it be"]
    assert not list(report_figures.tables_of_figures(found.runs))


def test_a_folder_without_anything_says_so(tmp_path):
    with pytest.raises(results.ResultError, match="no result and no verdict"):
        report.collect([tmp_path])


def test_the_scenario_with_the_most_runs_comes_first(tmp_path):
    testing.write(tmp_path, testing.steady([{900: 10}], scenario="burst"), "1.json")
    for sink in ("file", "null"):
        testing.write(tmp_path, testing.steady([{900: 10}], sink=sink), f"{sink}.json")
    assert [run.scenario for run in report.collect([tmp_path]).runs] == ["steady"] * 2 + ["burst"]


@pytest.mark.parametrize("text, first, rest", [
    ("Best: file. Half of its calls returned.", "Best: file.", ["Half of its calls returned."]),
    ("Within 1.5 ms.", "Within 1.5 ms.", []),
    ("No full stop", "No full stop", []),
])
def test_the_headline_is_the_first_sentence(text, first, rest):
    assert report.first_sentence(text) == (first, rest)


def test_names_of_sections_are_different_and_without_spaces(tmp_path):
    for scenario in ("steady", "my burst"):
        testing.write(tmp_path, testing.steady([{900: 10}], scenario=scenario), f"{scenario}.json")
    parts = list(report.plots(report.collect([tmp_path])))
    names = [part.name for part in parts]
    assert len(names) == len(set(names)) == 2 and not any(" " in name for name in names)
    for part in parts:
        assert re.search(r'<img src="data:image/svg\+xml;base64,', part.html)
