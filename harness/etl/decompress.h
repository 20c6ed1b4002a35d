// The three compression formats of a trace's buffers. Source: [MS-XCA], sections 2.1 and 2.2
// (LZ77+Huffman), 2.3 and 2.4 (plain LZ77), 2.5 (LZNT1).
#pragma once

#include <cstdint>
#include <span>

#include "harness/etl/bytes.h"
#include "harness/etl/log_header.h"

namespace tailgate::etl {

// Each fills `out` exactly and returns true. Returns false when the input is damaged, ends early or
// has more output than `out`, whose bytes are then unspecified. They allocate no memory and never
// read or write outside their ranges, whatever the input.
bool decompress_xpress(Bytes in, std::span<std::uint8_t> out);
bool decompress_xpress_huffman(Bytes in, std::span<std::uint8_t> out);
bool decompress_lznt1(Bytes in, std::span<std::uint8_t> out);

// Calls the decompressor of the format; false for any other format.
bool decompress(CompressionFormat format, Bytes in, std::span<std::uint8_t> out);

}  // namespace tailgate::etl
