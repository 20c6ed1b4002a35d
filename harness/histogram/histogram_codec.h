// Encodes and decodes histograms in HdrHistogram's formats.
//
// Writes V2: a 40-byte big-endian header (cookie, payload length, index offset, digits, lowest,
// highest, conversion ratio), then the counts by slot as zig-zag LEB128 numbers of at most nine
// bytes each; a negative number is a run of empty slots. V2 is written plain, or as a zlib stream
// after a cookie and a length. Reads V2, and V0 and V1, whose counts are words of two, four or
// eight bytes. HdrHistogram's AbstractHistogram and ZigZagEncoding (public domain) define the
// formats.
//
// An encoding contains the range and the counts, but not Histogram::overflow_count().
#pragma once

#include <string>
#include <string_view>

#include "harness/histogram/histogram.h"

namespace tailgate {

// Returns the plain V2 encoding, for tests. It equals that of HdrHistogram's Java implementation
// byte by byte.
std::string encode_v2(const Histogram& histogram);

// Returns the V2 encoding in a zlib stream.
std::string encode_v2_compressed(const Histogram& histogram);

// Returns the compressed V2 encoding as base64 text, as in .hlog files and result files.
std::string encode_v2_base64(const Histogram& histogram);

// Reads any of these encodings, as bytes or as base64 text; the first byte (0x1c or 'H') tells
// which.
//
// Accepts any input: returns a histogram or throws an Error that says what is wrong. Uses less than
// 256 MiB of memory, whatever sizes the input states. Refuses histograms of floating-point values
// (HdrHistogram's DoubleHistogram) and bytes after the encoding, too.
Histogram decode(std::string_view encoded);

}  // namespace tailgate
