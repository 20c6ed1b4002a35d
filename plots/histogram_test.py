"""Compares the histogram's bins, marks and maximum with known distributions."""
import math
from statistics import NormalDist

import pytest
from matplotlib.colors import to_hex

import histogram
import testing
from caption import Skip


def drawn(runs, options):
    [(name, figure)] = list(histogram.draw(runs, options))
    return name, figure.axes


def stairs(panel, label):
    [found] = [one for one in panel.patches if one.get_label() == label]
    return list(found.get_data().values), list(found.get_data().edges)


def place(panel, label):
    [found] = [one for one in panel.lines if one.get_label() == label]
    return found.get_xdata()[0]


def test_bins_of_a_log_normal_sample_match_the_law(as_runs, options):
    median, sigma, count = 50_000, 0.5, 20_000
    values = testing.lognormal(median, sigma, count)
    _, [panel] = drawn(as_runs(testing.steady([values])), options)
    counts, edges = stairs(panel, "response")
    assert sum(counts) == count
    law = NormalDist(math.log(median), sigma)
    for low, high, seen in zip(edges, edges[1:], counts):
        expected = count * (law.cdf(math.log(high)) - law.cdf(math.log(low)))
        # A bucket on a bin's edge may count in either bin; a bucket is a thousandth of its value
        # wide.
        moved = 2 * count * max(law.pdf(math.log(low)), law.pdf(math.log(high))) * 1e-3
        assert abs(seen - expected) <= moved + 2


def test_marks_are_the_quantiles_and_the_maximum_has_its_value(as_runs, options):
    values = {1000: 980, 20_000: 19, 3_000_000: 1}
    _, [panel] = drawn(as_runs(testing.steady([values])), options)
    assert [place(panel, name) for name in ("p50", "p99", "max")] == [1000, 20_000, 3_000_000]
    [worst] = [one for one in panel.lines if one.get_label() == "max"]
    assert worst.get_linestyle() == ":"
    assert "max 3 ms" in [text.get_text() for text in panel.texts]


def test_panels_share_their_bins_and_axis(as_runs, options):
    runs = as_runs(testing.steady([{100: 5}], sink="a"), testing.steady([{10**6: 7}], sink="b"))
    name, panels = drawn(runs, options)
    assert name == "histogram-steady" and len(panels) == 2
    assert stairs(panels[0], "response")[1] == stairs(panels[1], "response")[1]
    assert panels[0].get_xlim() == panels[1].get_xlim()
    assert [sum(stairs(panel, "response")[0]) for panel in panels] == [5, 7]


def test_service_is_drawn_beside_response(as_runs, options):
    _, [panel] = drawn(as_runs(testing.steady([{1000: 4}], [{10: 4}])), options)
    counts, edges = stairs(panel, "service")
    [filled] = [k for k, seen in enumerate(counts) if seen]
    assert counts[filled] == 4 and edges[filled] <= 10 <= edges[filled + 1]


def test_a_closed_loop_has_no_service_times(as_runs, options):
    _, [panel] = drawn(as_runs(testing.steady([{1000: 4}], rate_hz=0.0)), options)
    assert not [one for one in panel.patches if one.get_label() == "service"]
    assert [text.get_text() for text in panel.get_legend().get_texts()] == [
        "response time", "p50", "p99", "maximum"]


def test_one_colour_has_one_meaning(as_runs, options):
    _, [panel] = drawn(as_runs(testing.steady([{1000: 4}], [{10: 4}])), options)
    colors = [one.get_color() for one in panel.lines]
    colors += [to_hex(histogram.RESPONSE["facecolor"]), to_hex(histogram.SERVICE["edgecolor"])]
    assert len(set(map(to_hex, colors))) == 5
    [service] = [one for one in panel.patches if one.get_label() == "service"]
    assert to_hex(service.get_edgecolor()) == to_hex(histogram.SERVICE["edgecolor"])


def seven(as_runs):
    """Seven runs at 1, 10, 100 … ns, the slowest first; one of them lost events."""
    data = [testing.steady([{10**k: 50, 2 * 10**k: 1}], sink=f"s{k}") for k in reversed(range(7))]
    data[0]["trials"][0]["ledger"] |= {"emitted": 100, "lost": 2}
    return as_runs(*data)


def test_beyond_six_runs_each_has_a_ridge(as_runs, options):
    _, [panel] = drawn(seven(as_runs), options)
    assert [text.get_text() for text in panel.get_yticklabels()] == [f"s{k}" for k in range(7)]
    for row in range(7):
        counts, edges = stairs(panel, f"s{row}")
        inside = [row - count for low, high, count in zip(edges, edges[1:], counts)
                  if low <= 10**row < high]
        outside = [row - count for low, high, count in zip(edges, edges[1:], counts)
                   if not low <= 10**row < high and not low <= 2 * 10**row < high]
        assert inside == [pytest.approx(histogram.RIDGE_HEIGHT)] and not any(outside)
        marks = {one.get_label(): (one.get_xdata()[0], one.get_ydata()[0]) for one in panel.lines}
        assert marks[f"s{row} p50"] == (10**row, row)
        assert marks[f"s{row} max"] == (2 * 10**row, row)
    assert "lost 2 %" in [text.get_text() for text in panel.texts]


def test_six_runs_have_a_panel_each(as_runs, options):
    _, panels = drawn(seven(as_runs)[:6], options)
    assert len(panels) == 6
    assert [text.get_text() for text in panels[0].texts][0] == "s1"
    assert "lost 2 %" in panels[-1].texts[1].get_text()


def test_a_maximum_beyond_the_range_is_a_lower_bound(as_runs, options):
    data = testing.steady([{1000: 4}])
    data["summary"][0]["response"]["overflow"] = 2
    _, [panel] = drawn(as_runs(data), options)
    assert "max ≥ 1 µs" in [text.get_text() for text in panel.texts]


def test_empty_runs(as_runs, options):
    with pytest.raises(Skip, match="no event"):
        list(histogram.draw(as_runs(testing.steady([{}])), options))
    _, panels = drawn(as_runs(testing.steady([{}]), testing.steady([{5: 1}], sink="b")), options)
    assert "no events" in [text.get_text() for text in panels[1].texts]


def test_every_bin_can_hold_a_whole_nanosecond():
    edges = histogram.bin_edges(1, 10**10)
    assert all(math.floor(high) >= math.ceil(low) for low, high in zip(edges, edges[1:]))
    assert edges[0] < 1 and edges[-1] > 10**10
