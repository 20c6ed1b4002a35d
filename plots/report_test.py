"""Compares the parts of a report's page with what went into it."""
import base64
import re
from html.parser import HTMLParser

import pytest

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
        if tag == "td":
            self.rows[-1].append("")
        self._in_cell = tag == "td"

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
    assert image["alt"] == "Which?. ! busy"


def test_rows_that_nobody_has_to_look_at_are_shown_on_request():
    html = page.table("t", ["a"], [[page.Cell("1", 1)], [page.Cell("2", 2)]], quiet=[False, True])
    assert ["data-quiet" in row for row in Reader(html).attributes("tr")] == [False, False, True]
    assert "also the 1 that" in html
    assert "checkbox" not in page.table("t", ["a"], [[page.Cell("1", 1)]])


def test_figures_are_those_of_the_summary(tmp_path):
    part = report_figures.table_of_figures(runs(tmp_path, testing.steady([{1500: 999, 9000: 1}])))
    [_, row] = Reader(part.html).rows
    assert row == ["file", "steady", "10k events/s", "1.5 µs", "1.5 µs", "1.5 µs", "9 µs", "0", "–",
                   ""]


def test_quantiles_without_an_event_beyond_them_are_no_figures(tmp_path):
    [_, row] = Reader(report_figures.table_of_figures(
        runs(tmp_path, testing.steady([{1500: 50}]))).html).rows
    assert row[3:7] == ["1.5 µs", "–", "–", "1.5 µs"]


def test_losses_and_a_busy_machine_stand_in_the_row(tmp_path):
    data = testing.steady([{1000: 200}])
    data["trials"][0]["ledger"].update(lost=20, delivered=180)
    data["trials"][0]["noise"]["lost_share"] = 0.3
    [_, row] = Reader(report_figures.table_of_figures(runs(tmp_path, data)).html).rows
    assert row[7] == "10 %"
    assert row[9] == "machine busy: 1 of 1 trials"


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
    (["pass", "inconclusive"],
     "INCONCLUSIVE in 1 of 2 duets: file (steady): not enough rounds to decide"),
    (["inconclusive", "invalid"],
     "INVALID in 1 of 2 duets: file (steady): the duet may not be judged"),
])
def test_the_worst_outcome_is_that_of_all(outcomes, words):
    assert report_verdicts.headline(
        [shift_test.verdict(outcome=one, metrics=[]) for one in outcomes]) == words


def test_a_fail_without_a_metric_says_why():
    assert report_verdicts.headline([shift_test.verdict(metrics=[])]) == (
        "FAIL: file, steady: it rose")


def test_only_what_got_worse_is_shown_at_first():
    html = report_verdicts.section_of([shift_test.verdict()], [""]).html
    shown = {row[2]: "data-quiet" not in attributes
             for row, attributes in zip(Reader(html).rows[1:], Reader(html).attributes("tr")[1:])}
    assert shown == {"response_ns_p50": True, "response_ns_p99": False,
                     "response_ns_p99_9": False, "rss_bytes": False}


def test_a_finding_is_a_row_for_each_of_its_series():
    series = {"scenario": "steady", "sink": "file", "metric": "response_ns_p99",
              "change_percent": 25.04, "last_before": "2026-11-20", "first_after": "2026-11-21"}
    finding = {"found_night": "2026-11-23", "course": "worse", "state": "open", "is_creep": False,
               "revision_before": "a" * 40, "revision_after": "b" * 40, "reason": "",
               "series": [series, series | {"metric": "response_ns_p50"}],
               "events": [{"night": "2026-11-21", "machine": "m1",
                           "changes": ["kernel: 6.1 -> 6.2"]}]}
    rows = Reader(report_findings.section_of_findings([finding]).html).rows[1:]
    assert [row[5] for row in rows] == ["response_ns_p99", "response_ns_p50"]
    assert rows[0] == ["2026-11-23", "worse", "open", "file", "steady", "response_ns_p99", "+25 %",
                       "2026-11-20 to 2026-11-21", "aaaaaaaaaa..bbbbbbbbbb",
                       "2026-11-21: m1: kernel: 6.1 -> 6.2", ""]
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
    found = report.collect([tmp_path])
    assert (len(found.runs), len(found.verdicts)) == (1, 1)


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


def test_names_of_sections_are_different(tmp_path):
    parts = list(report.plots(runs(tmp_path, testing.steady([{900: 10}]),
                                   testing.steady([{900: 10}], scenario="burst"))))
    names = [part.name for part in parts]
    assert len(names) == len(set(names)) == 2
    for part in parts:
        assert re.search(r'<img src="data:image/svg\+xml;base64,', part.html)
