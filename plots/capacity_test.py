"""Compares the marks of rates that were tried with known outcomes of their trials."""
import pytest

import capacity
import testing
from caption import Skip

LEVEL = {"options": [{"name": "level_p99_9_ms", "value": "1"}], "name": "capacity", "preset": ""}
HELD, RATE = {}, {"rate_missed": True}
SLOW = {"response": testing.latency({2_000_000: 100})}


def search(figures, tried, **changes):
    """A capacity search; `tried`: (rate, [changes of a trial]) each."""
    steps = [(testing.load(rate), trials) for rate, trials in tried]
    return testing.tried("capacity", steps, figures, **changes) | {"scenario": LEVEL}


def drawn(runs, options):
    [(name, figure)] = list(capacity.draw(runs, options))
    return name, figure.axes[0], figure


def rates(panel, label):
    return sorted(float(one.get_xdata()[0]) for one in panel.lines if one.get_label() == label)


def texts(panel):
    return [text.get_text() for text in panel.texts]


def test_each_rate_says_whether_it_was_held(as_runs, options, line):
    run = search({"capacity_hz": (2000, 1000, 4000)}, [
        (1000.0, [HELD]), (4000.0, [SLOW]), (1000.0, [HELD] * 3), (2000.0, [HELD, HELD, SLOW]),
        (4000.0, [SLOW, RATE, SLOW])])
    name, panel, figure = drawn(as_runs(run), options)
    assert name == "capacity"
    assert rates(panel, "file held in all trials") == [1000]
    assert rates(panel, "file held in some") == [2000]
    assert rates(panel, "file held in none") == [4000]
    assert line(panel, "file between") == [[1000, 4000], [0, 0]]
    assert "2/3" in texts(panel) and "2k" in texts(panel) and "1k\u20134k" in texts(panel)
    assert "p99.9 too long in 3, rate missed in 1" in texts(panel)
    assert "p99.9 of 1 ms" in figure.texts[1].get_text()


def test_each_number_of_writers_has_a_row(as_runs, options, line):
    steps = [(testing.load(10.0), [HELD]), (testing.load(20.0, threads=2, processes=2), [HELD]),
             (testing.load(40.0, threads=2, processes=2), [SLOW])]
    run = testing.tried("capacity", steps, {
        "capacity_hz": (10, 10, None), "processes_2_capacity_hz": (20, 20, 40)})
    _, panel, _ = drawn(as_runs(run | {"scenario": LEVEL}), options)
    assert [text.get_text() for text in panel.get_yticklabels()] == ["file, 2 processes", "file"]
    assert rates(panel, "file held in all trials") == [10]
    assert rates(panel, "file, 2 processes held in none") == [40]
    assert line(panel, "file, 2 processes between") == [[20, 40], [0, 0]]


@pytest.mark.parametrize("change, reason", [
    (HELD, ""), (SLOW, "p99.9 too long"), (RATE, "rate missed"),
    (RATE | {"missed_by_machine": True}, capacity.BY_MACHINE),
    ({"outcome": "killed"}, "trial failed"), ({"outcome": "unchecked"}, "events not read back"),
    ({"response": testing.latency({})}, "trial failed")])
def test_why_a_trial_misses_the_level(change, reason):
    assert capacity.miss_of(testing.trial({900: 100}) | change, 1e6) == reason


@pytest.mark.parametrize("ledger, reason", [
    ({"lost": 1}, "events lost"), ({"unaccounted": -1}, "events lost"),
    ({"checked": False, "unaccounted": 9}, ""),
    ({"unaccounted_cause": "x"}, "events not read back")])
def test_what_its_ledger_says(ledger, reason):
    trial = testing.trial({900: 100})
    trial["ledger"] |= ledger
    assert capacity.miss_of(trial, 1e6) == reason


def test_the_highest_is_on_top_and_none_at_the_bottom(as_runs, options):
    runs = as_runs(search({}, [(10.0, [SLOW])], sink="none"),
                   search({}, [(10.0, [SLOW])], sink="early", complete=False),
                   search({"capacity_hz": (10, 10, None)}, [(10.0, [HELD])], sink="open"))
    _, panel, _ = drawn(runs, options)
    assert [text.get_text() for text in panel.get_yticklabels()] == ["open", "none", "early"]
    assert {"\u2265 10", "none", "not found"} <= set(texts(panel))


def test_other_runs_are_skipped(as_runs, options):
    with pytest.raises(Skip, match="scenario capacity"):
        drawn(as_runs(testing.steady([{5: 1}])), options)
