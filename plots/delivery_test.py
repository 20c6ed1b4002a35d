"""Compares the rows of delivery latencies with known distributions."""
import pytest

import delivery
import testing
from caption import Skip


def delivered(values, sink, **changes):
    """A run whose response times differ from its delivery latencies."""
    data = testing.steady([{5: 3}], sink=sink)
    data["summary"][0]["delivery"] = testing.latency(values)
    data["trials"][0]["consumer"] |= changes
    return data


def drawn(runs, options):
    [(name, figure)] = list(delivery.draw(runs, options))
    return name, figure.axes[0], figure.texts[-1].get_text()


def test_rows_are_the_delivery_latencies_in_the_order_of_p99(as_runs, options):
    slow, fast = {10**6: 99, 10**8: 1}, {2000: 990, 40_000: 10}
    name, panel, notes = drawn(as_runs(delivered(slow, "slow"), delivered(fast, "fast")), options)
    assert name == "delivery-steady"
    assert [text.get_text() for text in panel.get_yticklabels()] == ["fast", "slow"]
    found = {one.get_label(): one.get_xdata()[0] for one in panel.lines}
    assert [found[f"fast {p}"] for p in ("p50", "p99", "p99.9", "max")] == [
        2000, 2000, 40_000, 40_000]
    assert [found[f"slow {p}"] for p in ("p50", "p99", "max")] == [10**6, 10**6, 10**8]
    assert "The consumer looked every 1 ms" in notes


def test_runs_that_were_not_read_live_are_named(as_runs, options):
    after = testing.steady([{5: 3}], sink="after")
    del after["summary"][0]["delivery"]
    _, panel, notes = drawn(as_runs(delivered({7: 1}, "live", poll_interval_s=0.0), after), options)
    assert [text.get_text() for text in panel.get_yticklabels()] == ["live"]
    assert "Not read while the load ran: after." in notes and "looked every" not in notes
    assert "left out" not in notes
    with pytest.raises(Skip, match="--consume live"):
        drawn(as_runs(after), options)
