"""Compares what the plot of the scenario retention draws with known sizes and figures."""
import pytest

import retention
import testing
from caption import Skip

MIB = 2**20
KEPT = {"cap_bytes": 4 * MIB, "most_bytes": (4 * MIB, 3 * MIB, 4 * MIB), "kept_events": 1000,
        "history_ns": 2.5e9, "gone_newest_events": 0, "gone_between_events": 0, "refused_share": 0}


def asked(figures, sizes, *, holds=None, **changes):
    """A run with a trial for each list of sizes in MiB, a look every 100 ms."""
    trials = []
    for seen in sizes:
        kept = [{"at_ns": testing.trial({900: 100})["start_ns"] + 100_000_000 * number,
                 "bytes": size * MIB, "most_bytes": size * MIB, "files": 4}
                for number, size in enumerate(seen)]
        trials.append({"storage": {"looks": len(seen), "before_bytes": 0, "kept": kept}})
    run = testing.tried("retention", [(testing.load(), trials)], figures, **changes)
    if holds is not None:
        run["answer"]["holds"] = holds
    return run


def drawn(runs, options):
    [(name, figure)] = list(retention.draw(runs, options))
    return name, figure


def texts(panel):
    return "\n".join(text.get_text() for text in panel.texts)


def test_the_bytes_of_the_fullest_trial_stand_over_time(as_runs, options, line):
    name, figure = drawn(as_runs(asked(KEPT, [[1, 2, 3], [2, 4, 3]], holds=True)), options)
    [panel] = figure.axes
    assert name == "retention"
    assert line(panel, "seen") == [[0, 1e8, 2e8], [2 * MIB, 4 * MIB, 3 * MIB]]
    assert line(panel, "cap")[1] == [4 * MIB, 4 * MIB]
    assert "cap holds, newest all there" in texts(panel)
    assert "at most 4 MiB of 4 MiB" in texts(panel)
    assert "left: 1000 events, back to 2.5 s" in texts(panel)


@pytest.mark.parametrize("change, verdict", [
    ({"most_bytes": 5 * MIB}, "CAP EXCEEDED"), ({"gone_newest_events": 7}, "NEWEST MISSING"),
    ({"gone_between_events": 3}, "EVENTS MISSING"), ({"uncounted_events": 9}, "UNCOUNTED")])
def test_what_failed_is_named(as_runs, options, change, verdict):
    _, figure = drawn(as_runs(asked(KEPT | change, [[4]], holds=False)), options)
    assert verdict in texts(figure.axes[0])


def test_a_path_that_stops_says_what_it_refuses(as_runs, options):
    stopped = KEPT | {"refused_share": 0.75, "removal_response_max_ns": 5e6,
                      "elsewhere_response_max_ns": 1e6}
    _, figure = drawn(as_runs(asked(stopped, [[4]], holds=True)), options)
    assert "refused: 75 % of the calls" in texts(figure.axes[0])
    assert "longest call at a removal 5 ms, else 1 ms" in texts(figure.axes[0])


def test_without_a_cap_there_is_no_line_for_it(as_runs, options):
    grows = {name: value for name, value in KEPT.items() if name != "cap_bytes"}
    _, figure = drawn(as_runs(asked(grows, [[9]])), options)
    assert [one.get_label() for one in figure.axes[0].lines] == ["seen"]
    assert "names no cap" in texts(figure.axes[0])


def test_the_longest_history_comes_first_and_few_runs_are_drawn(as_runs, options):
    many = [asked(KEPT | {"history_ns": 1e9 * number}, [[1]], sink=f"s{number}")
            for number in range(1, 11)]
    _, figure = drawn(as_runs(*many), options)
    titles = [panel.get_title(loc="left") for panel in figure.axes]
    assert titles == [f"s{number}" for number in range(10, 2, -1)]
    assert any("2 more runs are left out" in text.get_text() for text in figure.texts)


def test_without_a_look_it_is_skipped(as_runs, options):
    run = testing.tried("retention", [(testing.load(), [{}])], KEPT)
    with pytest.raises(Skip, match="no trial looked"):
        drawn(as_runs(run), options)
