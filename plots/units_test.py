"""Durations and rates as text."""
import pytest

import units


@pytest.mark.parametrize("value_ns, text", [
    (0, "0"), (1, "1 ns"), (12.345, "12.3 ns"), (999.6, "1 µs"), (1000, "1 µs"),
    (1234, "1.23 µs"), (45_600_000, "45.6 ms"), (999_999_999, "1 s"),
    (1.5e9, "1.5 s"), (3.6e12, "3600 s"),
])
def test_durations(value_ns, text):
    assert units.format_ns(value_ns) == text


def test_durations_with_more_digits():
    assert units.format_ns(13_943, digits=4) == "13.94 µs"
    assert units.format_ns(999_960, digits=4) == "1 ms"


@pytest.mark.parametrize("rate_hz, text", [
    (0.5, "0.5"), (950, "950"), (999.9, "1k"), (10_000, "10k"), (1_500_000, "1.5M"), (2e9, "2G"),
])
def test_rates(rate_hz, text):
    assert units.format_rate(rate_hz) == text
