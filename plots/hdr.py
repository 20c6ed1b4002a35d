"""Decoder of HdrHistogram's V2 encoding, as result files hold it: zlib-compressed, in base64.

The format is that of HdrHistogram's AbstractHistogram (encodeIntoCompressedByteBuffer): big-endian
headers, then one ZigZag LEB128 number (at most 9 bytes) per bucket, where a negative number stands
for that many empty buckets.
"""
import base64
import binascii
import math
import struct
import zlib
from dataclasses import dataclass
from fractions import Fraction

COOKIE = 0x1C849313
COMPRESSED_COOKIE = 0x1C849314
HEADER = struct.Struct(">iiiiqqd")
COMPRESSED_HEADER = struct.Struct(">ii")
# Limit: the finest histogram of the format (5 digits, 63 bits) has 6 M buckets of up to 9 bytes.
MAX_DECODED_BYTES = 64 << 20


@dataclass(frozen=True)
class Histogram:
    """Buckets that hold values: (lowest value, highest value, count), ascending."""

    buckets: list

    @property
    def total(self):
        """Number of values recorded."""
        return sum(count for _, _, count in self.buckets)

    def quantile(self, q):
        """The value that a share q (0 to 1) of the values does not exceed: the highest value of the
        bucket with rank ceil(q * total). ValueError for an empty histogram, which has none."""
        rank = max(1, math.ceil(Fraction(str(q)) * self.total))
        seen = 0
        for _, high, count in self.buckets:
            seen += count
            if seen >= rank:
                return high
        raise ValueError(f"a histogram of {self.total} values has no quantile {q}")


def decode(text):
    """The Histogram encoded in `text`. Any other text is a ValueError that says why."""
    try:
        packed = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"not base64: {error}") from None
    content = _inflate(packed)
    if len(content) < HEADER.size:
        raise ValueError(f"{len(content)} bytes are too short for a histogram's header")
    cookie, length, offset, digits, lowest, highest, _ = HEADER.unpack_from(content)
    if cookie != COOKIE:
        raise ValueError(f"cookie {cookie & 0xFFFFFFFF:#x} is not that of the V2 encoding")
    if length != len(content) - HEADER.size:
        raise ValueError(f"{length} payload bytes announced, {len(content) - HEADER.size} present")
    if offset != 0 or not 0 <= digits <= 5 or lowest < 1 or highest < 2 * lowest:
        raise ValueError(f"impossible layout: index offset {offset}, {digits} significant digits, "
                         f"range {lowest} to {highest}")
    return Histogram(_buckets(content[HEADER.size:], digits, lowest))


def _inflate(packed):
    if len(packed) < COMPRESSED_HEADER.size:
        raise ValueError(f"{len(packed)} bytes are too short for a compressed histogram")
    cookie, length = COMPRESSED_HEADER.unpack_from(packed)
    if cookie != COMPRESSED_COOKIE:
        raise ValueError(f"cookie {cookie & 0xFFFFFFFF:#x} is not that of compressed V2")
    body = packed[COMPRESSED_HEADER.size:]
    if length != len(body):
        raise ValueError(f"{length} compressed bytes announced, {len(body)} present")
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(body, MAX_DECODED_BYTES)
    except zlib.error as error:
        raise ValueError(f"zlib: {error}") from None
    if not inflater.eof or inflater.unused_data:
        raise ValueError("the compressed data do not end where they should")
    return content


def _numbers(payload):
    value, shift = 0, 0
    for byte in payload:
        if shift == 56:
            value, ended = value | byte << 56, True
        else:
            value, ended = value | (byte & 0x7F) << shift, byte < 0x80
        if ended:
            yield (value >> 1) ^ -(value & 1)
            value, shift = 0, 0
        else:
            shift += 7
    if shift:
        raise ValueError("the payload ends inside a number")


def _buckets(payload, digits, lowest):
    half_magnitude = math.ceil(math.log2(2 * 10**digits)) - 1
    unit_magnitude = lowest.bit_length() - 1
    half = 1 << half_magnitude
    limit = (65 - unit_magnitude - half_magnitude) * half
    buckets, index = [], 0
    for number in _numbers(payload):
        if number > 0:
            block = max(0, (index >> half_magnitude) - 1)
            shift = block + unit_magnitude
            low = (index - block * half) << shift
            buckets.append((low, low + (1 << shift) - 1, number))
        index += -number if number < 0 else 1
        if index > limit:
            raise ValueError(f"more than the {limit} buckets of a histogram with {digits} digits")
    return buckets
