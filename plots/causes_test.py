"""Compares the bars of causes with known times."""
import pytest

import caption
import causes
import testing
from caption import Skip

RESPONSE = testing.tail(causes=[("waiting", 600_000), ("queued", 300_000), ("running", 100_000)],
                        culprits=[("burner", 500_000), ("kworker", 100_000), ("", 70_000)])
SERVICE = testing.tail("service", [("blocked_io", 80_000), ("unknown", 20_000)])


def drawn(runs, options):
    [(name, figure)] = list(causes.draw(runs, options))
    return name, figure


def bars(panel):
    """(cause, left, width) of each segment in one panel, by row."""
    rows = {}
    for container in panel.containers:
        for bar in container:
            row = round(bar.get_y() + bar.get_height() / 2)
            rows.setdefault(row, []).append((container.get_label(), round(bar.get_x(), 6),
                                             round(bar.get_width(), 6)))
    return rows


def texts(panel):
    return [text.get_text() for text in panel.texts]


def test_a_bar_is_the_share_of_each_cause(as_runs, options):
    name, figure = drawn(as_runs(testing.explained([RESPONSE, SERVICE])), options)
    assert name == "causes-steady"
    response, response_ms, service, service_ms = figure.axes
    assert bars(response) == {0: [("queued", 0, 30), ("running", 30, 10), ("waiting", 40, 60)]}
    assert bars(service) == {0: [("blocked_io", 0, 80), ("unknown", 80, 20)]}
    assert texts(response) == texts(service) == ["10 calls of 50 µs or more"]
    assert texts(response_ms) == ["100 µs each; of all: burner 500 µs, kworker 100 µs"]
    assert texts(service_ms) == ["10 µs each"]


def test_beside_the_shares_is_the_time_of_a_call_in_ms(as_runs, options):
    _, figure = drawn(as_runs(testing.explained([RESPONSE, SERVICE])), options)
    _, response, _, service = figure.axes
    assert bars(response) == {0: [("queued", 0, 0.03), ("running", 0.03, 0.01),
                                  ("waiting", 0.04, 0.06)]}
    assert bars(service) == {0: [("blocked_io", 0, 0.008), ("unknown", 0.008, 0.002)]}
    assert "(ms)" in response.get_xlabel() and "(ms)" in service.get_xlabel()


def test_losses_and_a_missed_rate_are_at_the_name(as_runs, options):
    data = testing.explained([RESPONSE])
    data["traced"][0]["rate_missed"] = True
    data["traced"][0]["ledger"] |= {"emitted": 100, "lost": 5}
    _, figure = drawn(as_runs(data), options)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [
        "file\nsaturated\nlost 5 %"]


def test_a_rate_that_the_machine_took_is_not_the_sinks(as_runs, options):
    data = testing.explained([RESPONSE])
    data["traced"][0] |= {"rate_missed": True, "missed_by_machine": True}
    _, figure = drawn(as_runs(data), options)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [
        "file\nsaturated by machine"]


def test_runs_have_a_row_each_and_trials_are_pooled(as_runs, options):
    pooled = testing.explained([testing.tail(causes=[("waiting", 100)])], sink="b")
    second = testing.explained([testing.tail(causes=[("interrupt", 300)])])["traced"]
    pooled["traced"] += second
    runs = as_runs(testing.explained([RESPONSE], sink="a"), pooled)
    response, *_ = drawn(runs, options)[1].axes
    assert [label.get_text() for label in response.get_yticklabels()] == ["a", "b"]
    assert bars(response)[1] == [("interrupt", 0, 75), ("waiting", 75, 25)]


def explained_sweep(sink, rates):
    """A sweep whose step at each rate has one explained tail, with a cause of its own."""
    data = testing.sweep([(rate, rate, False, {900: 100}) for rate in rates], sink=sink)
    data["traced"] = []
    for step, cause in zip(range(len(rates)), ("running", "waiting", "interrupt")):
        [trial] = testing.explained([testing.tail(causes=[(cause, 100)])])["traced"]
        data["traced"].append(trial | {"step": step, "load": data["trials"][step]["load"]})
    return data | {"version": 3, "explained": True}


def test_a_sweep_is_shown_at_one_rate_which_is_named(as_runs, options):
    runs = as_runs(explained_sweep("a", [1000.0, 10_000.0, 100_000.0]),
                   explained_sweep("b", [1000.0, 10_000.0]))
    name, figure = drawn(runs, options)
    assert name == "causes-sweep"
    assert bars(figure.axes[0]) == {0: [("waiting", 0, 100)], 1: [("waiting", 0, 100)]}
    said = " ".join(text.get_text() for text in figure.texts)
    assert "10k events/s" in said
    assert "Shown: 10k events/s; left out: 1k, 100k events/s" in " ".join(said.split())
    options.rate_hz = 1000.0
    name, figure = drawn(runs, options)
    assert name == "causes-sweep+rate_hz-1000"
    assert bars(figure.axes[0])[0] == [("running", 0, 100)]


def test_sinks_at_different_rates_are_named_with_theirs(as_runs, options):
    _, figure = drawn(as_runs(explained_sweep("a", [1000.0]), explained_sweep("b", [5000.0])),
                      options)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [
        "b at 5k events/s", "a at 1k events/s"]


def test_a_measure_without_slow_calls_says_so(as_runs, options):
    service = testing.tail("service", causes=[("running", 5000)])
    _, figure = drawn(as_runs(testing.explained([RESPONSE], sink="a"),
                              testing.explained([RESPONSE, service], sink="b")), options)
    assert "not explained" in texts(figure.axes[2]) and len(bars(figure.axes[2])) == 1


def test_a_measure_without_any_slow_call_has_no_panels(as_runs, options):
    _, figure = drawn(as_runs(testing.explained([RESPONSE])), options)
    assert len(figure.axes) == 2 and "response" in figure.axes[0].get_xlabel()


def test_culprits_are_left_out_where_the_panel_ends(as_runs, options):
    tail = testing.tail(causes=[("waiting", 90_000)],
                        culprits=[(f"{letter * 14}", 1_234_000) for letter in "abc"])
    _, figure = drawn(as_runs(testing.explained([tail])), options)
    [fact] = texts(figure.axes[1])
    assert "a" * 14 in fact and "c" * 14 not in fact and len(fact) <= 74


def test_zero_excess_draws_no_bar(as_runs, options):
    _, figure = drawn(as_runs(testing.explained([testing.tail(causes=[("running", 0)])])), options)
    assert not bars(figure.axes[0])


def test_a_trial_that_crashed_is_shown_as_in_the_text_and_noted(as_runs, options):
    failed = testing.explained([RESPONSE])
    failed["traced"][0]["outcome"] = "crashed"
    _, figure = drawn(as_runs(failed), options)
    assert texts(figure.axes[0]) == ["10 calls of 50 µs or more"]
    assert "! file: 1 of 1 traced trials did not complete" in figure.texts[-1].get_text()


def test_results_without_a_trace_are_left_out(as_runs, options):
    for data in (testing.steady([{5: 1}]), testing.explained([])):
        with pytest.raises(Skip, match="--explain"):
            drawn(as_runs(data), options)


def test_a_trace_with_holes_is_noted(as_runs):
    run, other = as_runs(testing.explained([RESPONSE], complete=False),
                         testing.steady([{5: 1}], sink="other"))
    [part] = caption.choose([run])
    assert causes.words([part], [run, other]).notes == [
        "! other: not explained, so left out",
        "! file: the trace has holes, so part of the time is 'not traced'"]


def test_a_cause_of_a_later_version_is_drawn_under_its_own_name(as_runs, options):
    _, figure = drawn(as_runs(testing.explained([testing.tail(causes=[("moon", 5)])])), options)
    assert bars(figure.axes[0]) == {0: [("moon", 0, 100)]}
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == ["moon"]


def test_every_cause_is_drawn_in_its_own_way():
    looks = [causes.drawn_as(cause)[1:] for cause in [*causes.FACES, "of a later version"]]
    assert len(set(looks)) == len(looks)
    names = [causes.drawn_as(cause)[0] for cause in causes.FACES]
    assert len(set(names)) == len(names)


def test_all_causes_at_once_fit_beside_the_bars(as_runs, options):
    tail = testing.tail(causes=[(cause, 1000 + place) for place, cause in enumerate(causes.FACES)])
    _, figure = drawn(as_runs(testing.explained([tail])), options)
    legend = figure.axes[1].get_legend()
    assert len(legend.get_texts()) == len(causes.FACES)
    box = legend.get_window_extent()
    for panel in figure.axes:
        assert not box.overlaps(panel.get_window_extent())
