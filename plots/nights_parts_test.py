"""Charts of causes and roles, against times that are known."""
import datetime

import nights_parts
import report_findings
from report_test import Reader

HEAD = "night,fingerprint,scenario,preset,sink,load,part,metric,unit,value,kind\n"
CALL, _, SLOW, _, ROLE, DUET_ROLE = nights_parts.KINDS
IDENTITY = ("f1", "steady", "", "file", "steady 20000/s, 128 B")
FIRST, SECOND = datetime.date(2026, 11, 1), datetime.date(2026, 11, 2)


def row(night, metric, value, part="b", unit="ns", sink="file", kind="result"):
    return (f'{night},f1,steady,,{sink},"steady 20000/s, 128 B",{part},{metric},{unit},{value},'
            f'{kind}\n')


def call_nights():
    return nights_parts.read(CALL, HEAD + "".join([
        row(SECOND, "call_ns_in_syscall_write", 900), row(FIRST, "call_ns_in_syscall_write", 800),
        row(FIRST, "call_ns_in_own_code", 200), row(SECOND, "call_ns_in_own_code", 100),
        row(SECOND, "call_ns_in_own_code", 300),
        row(FIRST, "call_ns_in_own_code", ""), row(FIRST, "call_ns_in_own_code", 1, unit="%")]))


def test_times_are_those_of_the_nights_in_their_order():
    nights = call_nights()[IDENTITY]
    assert list(nights) == [FIRST, SECOND]
    assert nights[FIRST] == {"syscall_write": 800, "own_code": 200}
    assert nights[SECOND] == {"syscall_write": 900, "own_code": 200}  # the median of two


def test_roles_that_hold_others_are_left_out():
    text = HEAD + "".join(row(FIRST, "cpu_ns_per_event", number, part=role) for number, role in
                          enumerate(["provider", "daemons", "kernel", "logging", "machine"], 1))
    assert nights_parts.read(ROLE, text) == {
        IDENTITY: {FIRST: {"provider": 1, "daemons": 2, "kernel": 3}}}
    text = HEAD + row(FIRST, "provider_ns_per_event", 5) + row(FIRST, "cpu_ns_per_event", 9)
    assert nights_parts.read(DUET_ROLE, text) == {IDENTITY: {FIRST: {"provider": 5}}}


def test_each_sink_has_its_figure_and_each_time_its_panel():
    slow = HEAD + row(FIRST, "cause_ns_per_slow_call", 7, part="queued")
    other = HEAD + row(FIRST, "cause_ns_per_slow_call", 7, part="queued", sink="null")
    figures = nights_parts.by_identity([(SLOW, slow), (SLOW, other), (ROLE, HEAD)])
    assert [identity[3] for identity in figures] == ["file", "null"]
    name, figure = nights_parts.draw(3, IDENTITY, [(CALL, call_nights()[IDENTITY]),
                                                  *figures[IDENTITY]])
    assert name == "nights-parts-3"
    assert [panel.get_title(loc="left") for panel in figure.axes] == [CALL.title, SLOW.title]


def test_bars_are_stacked_on_their_nights():
    _, figure = nights_parts.draw(1, IDENTITY, [(CALL, call_nights()[IDENTITY])])
    [panel] = figure.axes
    bars = {group.get_label(): [(bar.get_y(), bar.get_height()) for bar in group]
            for group in panel.containers}
    assert bars == {"syscall_write": [(0, 800), (0, 900)], "own_code": [(800, 200), (900, 200)]}
    assert [text.get_text() for text in panel.get_legend().get_texts()] == [
        "own code", "on a processor: system call: write"]


def test_small_parts_are_drawn_together():
    many = {FIRST: {f"p{number}": float(number) for number in range(20)}}
    shown = nights_parts.largest(many)
    assert len(shown) == nights_parts.MOST_PARTS and shown[-1] == nights_parts.OTHERS
    drawn = [nights_parts.time_of(many[FIRST], part, shown) for part in shown]
    assert sum(drawn) == sum(range(20)) and drawn[0] == 19


def test_times_below_zero_are_drawn_downwards():
    nights = {FIRST: {"provider": 5.0, "daemons": -2.0, "kernel": -1.0}}
    _, figure = nights_parts.draw(1, IDENTITY, [(ROLE, nights)])
    ends = sorted((bar.get_y(), bar.get_height()) for bar in figure.axes[0].patches)
    assert ends == [(-2, -1), (0, -2), (0, 5)]


def test_the_table_compares_the_last_night_with_those_before():
    nights = {FIRST: {"own_code": 100.0}, SECOND: {"own_code": 110.0, "interrupt": 10.0}}
    html = report_findings.section_of_parts({IDENTITY: [(CALL, nights)]}, []).html
    rows = Reader(html).rows[1:]
    assert [row[4:] for row in rows] == [
        ["interrupt", "10 ns", "0", "\u2013", "8.33 %"],
        ["own code", "110 ns", "100 ns", "+10 %", "91.7 %"]]
    text = report_findings.parts_csv({IDENTITY: [(CALL, nights)]})
    assert len(text.splitlines()) == 4 and text.endswith("2026-11-02,own_code,110.0\n")


def test_a_single_night_has_nothing_to_be_compared_with():
    [row] = report_findings.part_rows(IDENTITY, CALL, {FIRST: {"own_code": 100.0}})
    assert [cell.text for cell in row[5:]] == ["100 ns", "\u2013", "\u2013", "100 %"]


def test_what_has_one_night_is_not_drawn():
    one = {FIRST: {"own_code": 100.0}}
    other = (*IDENTITY[:3], "null", IDENTITY[4])
    figures = {IDENTITY: [(CALL, one), (SLOW, call_nights()[IDENTITY])], other: [(CALL, one)]}
    assert list(nights_parts.with_several_nights(figures)) == [IDENTITY]


def test_many_figures_fold_and_few_do_not():
    figures = {IDENTITY: [(CALL, call_nights()[IDENTITY])]}
    few = ["<figure></figure>"] * report_findings.MOST_OPEN
    assert "<details>" not in report_findings.section_of_parts(figures, few).html
    html = report_findings.section_of_parts(figures, [*few, *few]).html
    assert "<summary>Figures of 12 sinks and loads</summary>" in html
    assert html.split("</details>")[0].count("<figure>") == 12


def test_machines_apart_from_their_group_are_rows():
    drift = {"machine": "m17", "sink": "file", "scenario": "steady", "load": "max", "part": "",
             "metric": "response_ns_p50", "level_percent": 12.31, "change_percent": 10.0,
             "is_new": True}
    group = {"fingerprint": "f1", "machines": ["m1"] * 6, "is_judged": True, "drifting": [drift]}
    [part] = report_findings.section_of_fleet([group])
    assert Reader(part.html).rows[1:] == [["m17", "f1", "file", "steady", "max", "",
                                           "response_ns_p50", "+12.3 %", "+10 %"]]
    [part] = report_findings.section_of_fleet([group | {"drifting": []}])
    assert "None of 6 machines" in part.html
    assert not list(report_findings.section_of_fleet([group | {"is_judged": False}]))
