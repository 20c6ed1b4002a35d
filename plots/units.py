"""Durations and rates as people read them: short, with the unit."""


def format_ns(value_ns, digits=3):
    """A duration with so many significant digits and its unit: 950 ns, 1.23 µs, 45.6 ms."""
    if value_ns <= 0:
        return "0"
    value = float(f"{value_ns:.{digits}g}")
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if value >= size:
            return f"{value / size:.{digits + 1}g} {unit}"
    return f"{value:.{digits}g} ns"


def format_bytes(number):
    """A size, exactly: 64 B, 4 KiB, 4000 B."""
    whole = int(number)
    return f"{whole // 1024} KiB" if whole >= 1024 and whole % 1024 == 0 else f"{whole} B"


def format_rate(rate_hz):
    """Events per second with three significant digits: 950, 10k, 1.5M."""
    value = float(f"{rate_hz:.3g}")
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.4g}{unit}"
    return f"{value:g}"
