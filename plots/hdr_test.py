"""Tests hdr.py with histograms that HdrHistogram's own library encoded (testdata/Encode.java)."""
import base64
import json
import pathlib
import random
import struct
import zlib

import pytest

import hdr

REFERENCE = json.loads(
    (pathlib.Path(__file__).parent / "testdata" / "hdrhistogram.json").read_text())


def wrap(content):
    """`content` compressed and framed like an encoded histogram."""
    body = zlib.compress(content)
    return base64.b64encode(struct.pack(">ii", 0x1C849314, len(body)) + body).decode()


def layout(payload=b"", *, cookie=0x1C849313, offset=0, digits=3, lowest=1, highest=10**9):
    header = struct.pack(">iiiiqqd", cookie, len(payload), offset, digits, lowest, highest, 1.0)
    return wrap(header + payload)


@pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case["name"])
def test_reads_what_the_java_library_wrote(case):
    histogram = hdr.decode(case["encoded"])
    assert [list(bucket) for bucket in histogram.buckets] == case["buckets"]
    assert histogram.total == sum(count for _, count in case["recorded"])


@pytest.mark.parametrize("case", [c for c in REFERENCE if c["recorded"]], ids=lambda c: c["name"])
def test_quantiles_are_those_of_the_values(case):
    histogram = hdr.decode(case["encoded"])
    values = sorted(case["recorded"])
    for q in (0, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1):
        # The exact rank, computed with integers in units of 1/1000: no rounding of q * total.
        rank = max(1, -(-round(q * 1000) * histogram.total // 1000))
        for value, count in values:
            rank -= count
            if rank <= 0:
                break
        low, high = next((lo, hi) for lo, hi, _ in histogram.buckets if lo <= value <= hi)
        assert histogram.quantile(q) == high
        assert high - low <= max(value / 10 ** case["digits"], case["lowest"])


@pytest.mark.parametrize("case", [c for c in REFERENCE if c["recorded"]], ids=lambda c: c["name"])
def test_extremes_are_those_of_the_java_library(case):
    histogram = hdr.decode(case["encoded"])
    by_percentile = {p: value for p, value in case["percentiles"]}
    assert histogram.quantile(1) == by_percentile[100.0]
    assert histogram.quantile(0) in (by_percentile[0.0], histogram.buckets[0][1])


def test_an_empty_histogram_has_no_quantile():
    with pytest.raises(ValueError, match="0 values"):
        hdr.decode(layout()).quantile(0.5)


@pytest.mark.parametrize("text, reason", [
    ("", "too short"),
    ("&&&&", "base64"),
    ("é", "base64"),
    (base64.b64encode(b"\0" * 20).decode(), "cookie"),
    (base64.b64encode(struct.pack(">ii", 0x1C849314, 9) + b"x").decode(), "announced"),
    (base64.b64encode(struct.pack(">ii", 0x1C849314, 4) + b"abcd").decode(), "zlib"),
    (wrap(b"short"), "too short"),
    (layout(cookie=0x1C849301), "cookie"),
    (layout(digits=6), "6 significant digits"),
    (layout(digits=-1), "impossible"),
    (layout(lowest=0), "impossible"),
    (layout(lowest=-5), "impossible"),
    (layout(highest=1), "impossible"),
    (layout(offset=7), "index offset 7"),
    (layout(b"\x80"), "inside a number"),
    (layout(b"\xff" * 9), "more than"),
    (wrap(struct.pack(">iiiiqqd", 0x1C849313, 99, 0, 3, 1, 10**9, 1.0)), "99 payload bytes"),
])
def test_damage_is_named(text, reason):
    with pytest.raises(ValueError, match=reason):
        hdr.decode(text)


def test_a_decompression_bomb_is_refused():
    with pytest.raises(ValueError, match="do not end"):
        hdr.decode(wrap(b"\0" * (hdr.MAX_DECODED_BYTES + 1)))


def test_random_damage_never_raises_anything_else():
    chance = random.Random(1)
    for case in REFERENCE:
        packed = bytearray(base64.b64decode(case["encoded"]))
        content = bytearray(zlib.decompress(packed[8:]))
        for _ in range(100):
            outer, inner = bytearray(packed), bytearray(content)
            outer[chance.randrange(len(outer))] ^= 1 << chance.randrange(8)
            inner[chance.randrange(len(inner))] = chance.randrange(256)
            cut = packed[: chance.randrange(len(packed))]
            for text in (base64.b64encode(outer), wrap(bytes(inner)), base64.b64encode(cut)):
                try:
                    hdr.decode(text if isinstance(text, str) else text.decode())
                except ValueError:
                    pass
