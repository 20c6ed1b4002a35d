"""Compares the bars of lost events with known ledgers."""
import pytest

import losses
import testing
from caption import Skip


def ledger(emitted, causes, **changes):
    """A ledger with these losses: (cause, who reported it, events) each."""
    lost = sum(events for _, _, events in causes)
    return testing.trial({5: 1})["ledger"] | {
        "emitted": emitted, "lost": lost, "delivered": emitted - lost,
        "losses": [{"cause": cause, "reported_by": by, "events": events}
                   for cause, by, events in causes]} | changes


def run_of(sink, *ledgers):
    data = testing.steady([{5: 1}] * len(ledgers), sink=sink)
    for trial, one in zip(data["trials"], ledgers):
        trial["ledger"] = one
    return data


def drawn(runs, options):
    [(name, figure)] = list(losses.draw(runs, options))
    return name, figure.axes[0], figure


def bars(panel):
    """{(row, cause): (left, width)} in percent."""
    return {(round(bar.get_y() + bar.get_height() / 2), one.get_label()):
            (round(bar.get_x(), 9), round(bar.get_width(), 9))
            for one in panel.containers for bar in one}


FULL, REFUSED = "full (reported by the session)", "busy (reported by the call)"


def test_a_bar_is_the_share_of_each_cause_over_all_trials(as_runs, options):
    runs = as_runs(run_of("a", ledger(100, [("full", "session", 10), ("busy", "call", 0)]),
                          ledger(300, [("full", "session", 30), ("busy", "call", 4)])),
                   run_of("b", ledger(200, [("busy", "call", 1)])), run_of("c", ledger(50, [])))
    name, panel, figure = drawn(runs, options)
    assert name == "losses-steady"
    assert [text.get_text() for text in panel.get_yticklabels()] == ["a", "b"]
    assert bars(panel) == {(0, FULL): (0, 10), (0, REFUSED): (10, 1), (1, REFUSED): (0, 0.5)}
    assert [text.get_text() for text in panel.texts] == [
        "lost", "emitted", "11 %", "400", "", "0.5 %", "200", ""]
    assert "Nothing lost: c." in figure.texts[-1].get_text()


def test_events_that_vanished_have_a_colour_of_their_own(as_runs, options):
    runs = as_runs(run_of("a", ledger(100, [("full", "session", 10)], unaccounted=5)),
                   run_of("b", ledger(100, [("full", "session", 1)], unaccounted=90,
                                      checked=False)))
    _, panel, figure = drawn(runs, options)
    assert bars(panel) == {(0, FULL): (0, 10), (0, losses.UNACCOUNTED): (10, 5), (1, FULL): (0, 1)}
    [red] = [bar for one in panel.containers for bar in one
             if one.get_label() == losses.UNACCOUNTED]
    others = [bar for one in panel.containers for bar in one
              if one.get_label() != losses.UNACCOUNTED]
    assert all(bar.get_facecolor() != red.get_facecolor() for bar in others)
    assert "only reported losses are known: b." in figure.texts[-1].get_text()


def test_every_rate_of_a_sweep_has_a_row(as_runs, options):
    data = testing.sweep([(1e3, 1e3, False, {5: 1}), (1e4, 1e4, False, {5: 1}),
                          (1e5, 5e4, True, {5: 1})])
    for trial, lost in zip(data["trials"], (0, 1, 20)):
        trial["ledger"] = ledger(100, [("full", "session", lost)])
    _, panel, figure = drawn(as_runs(data), options)
    assert [text.get_text() for text in panel.get_yticklabels()] == [
        "file at 10k events/s", "file at 100k events/s"]
    assert "saturated" in [text.get_text() for text in panel.texts]
    assert figure.texts[1].get_text() == "Which share of the events was lost, and why? – sweep"


def test_without_losses_it_is_skipped(as_runs, options):
    with pytest.raises(Skip, match="no event was lost"):
        drawn(as_runs(run_of("a", ledger(10, []))), options)
