"""Charts of a finding's nights, against nights whose levels are known."""
import datetime
import math

import nights
import pytest

SERIES = {"scenario": "steady", "sink": "file", "load": "steady 20000/s, 128 B", "preset": "",
          "metric": "response_ns_p99", "change_percent": 25.04, "last_before": "2026-11-03",
          "first_after": "2026-11-05", "ratio_before": 1.0, "ratio_after": 1.25}
EVENT = {"night": "2026-11-04", "machine": "m1", "changes": ["kernel: 6.1 -> 6.2"]}
HEAD = "night,scenario,preset,sink,load,unit,value\n"


def finding(**changes):
    return {"id": 7, "course": "worse", "state": "open", "found_night": "2026-11-07",
            "reference": "a" * 40, "events": [EVENT], "series": [SERIES]} | changes


def row(night, value, **changes):
    cells = {"scenario": "steady", "preset": "", "sink": "file", "load": SERIES["load"],
             "unit": "ln ratio"} | changes
    return (f'{night},{cells["scenario"]},{cells["preset"]},{cells["sink"]},"{cells["load"]}",'
            f'{cells["unit"]},{value}\n')


def points():
    return [(datetime.date(2026, 11, day), math.log(1.25) if day > 4 else 0.0)
            for day in (1, 2, 3, 5, 6, 7)]


def test_the_nights_of_one_series_are_read_in_their_order():
    text = HEAD + row("2026-11-02", 0.25) + row("2026-11-01", -0.5) + "".join([
        row("2026-11-03", 1, sink="file:mode=mmap"), row("2026-11-03", 1, load="max"),
        row("2026-11-03", 1, preset="quick"), row("2026-11-03", 1, unit="ns"),
        row("2026-11-03", "")])
    assert nights.read(text, SERIES) == [(datetime.date(2026, 11, 1), -0.5),
                                         (datetime.date(2026, 11, 2), 0.25)]


def test_levels_stand_where_they_held():
    name, figure = nights.draw(finding(), [points()])
    [panel] = figure.axes
    drawn = {line.get_label(): (list(line.get_xdata()), list(line.get_ydata()))
             for line in panel.lines}
    assert name == "nights-7"
    assert drawn["response_ns_p99"] == tuple(map(list, zip(*points())))
    assert drawn["before"] == ([datetime.date(2026, 11, 1), datetime.date(2026, 11, 3)], [0.0, 0.0])
    assert drawn["after"] == ([datetime.date(2026, 11, 5), datetime.date(2026, 11, 7)],
                              [math.log(1.25)] * 2)
    assert drawn["event"][0] == [datetime.date(2026, 11, 4)] * 2
    assert panel.get_title(loc="left") == "response_ns_p99: 0 % to +25 %"


@pytest.mark.parametrize("course, words", [("worse", "got worse by +25 %"),
                                           ("better", "got better by +25 %"),
                                           ("shift", "shift by +25 %")])
def test_the_title_says_what_changed_by_how_much(course, words):
    _, figure = nights.draw(finding(course=course), [points()])
    assert f"file, steady: response_ns_p99 {words}" in [text.get_text() for text in figure.texts]


def test_series_that_are_not_drawn_are_counted():
    _, figure = nights.draw(finding(series=[SERIES] * 4), [points(), []])
    assert len(figure.axes) == 1
    assert any("3 more series" in text.get_text() for text in figure.texts)
    assert nights.draw(finding(), [[]]) is None
