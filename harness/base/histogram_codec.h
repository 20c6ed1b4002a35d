// HdrHistogram's encodings of a histogram.
//
// Written: V2, a 40-byte big-endian header (cookie, payload length, index offset, digits, lowest,
// highest, conversion ratio) and the counts by slot as zig-zag LEB128 numbers, at most nine bytes
// each, where a negative number is a run of empty slots; plain, or as a zlib stream behind a cookie
// and a length. Read: these, and V0 and V1, whose counts are words of two, four or eight bytes.
// The formats are described by HdrHistogram's AbstractHistogram and ZigZagEncoding (public domain).
//
// An encoding holds the range and the counts: everything but Histogram::overflow_count().
#pragma once

#include <string>
#include <string_view>

#include "harness/base/histogram.h"

namespace tailgate {

// The V2 encoding as bytes. The plain form equals that of HdrHistogram's Java implementation byte
// by byte.
std::string encode_v2(const Histogram& histogram);

// The V2 encoding inside a zlib stream, as bytes.
std::string encode_v2_compressed(const Histogram& histogram);

// The compressed V2 encoding as base64 text: what .hlog files and result files hold.
std::string encode_v2_base64(const Histogram& histogram);

// Reads any of the encodings, as bytes or as base64 text (the first byte tells: 0x1c or 'H').
//
// Any input is safe: it ends in a histogram or in an Error that says what is wrong. Memory stays
// below 256 MiB, whatever the input claims. Refused are also histograms of floating-point values
// (HdrHistogram's DoubleHistogram) and bytes left over behind the encoding.
Histogram decode(std::string_view encoded);

}  // namespace tailgate
