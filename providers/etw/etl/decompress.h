// The three compressions that Windows can give a trace's buffers. Source: [MS-XCA], sections 2.1
// and 2.2 (LZ77+Huffman), 2.3 and 2.4 (plain LZ77), 2.5 (LZNT1).
#pragma once

#include <cstdint>
#include <span>

#include "providers/etw/etl/bytes.h"
#include "providers/etw/etl/log_header.h"

namespace tailgate::etl {

// Each fills `out` exactly and returns true; false when the input is damaged, ends early or would
// overrun `out` (whose bytes are then unspecified). None allocates memory; none reads or writes
// outside its ranges, whatever the input.
bool decompress_xpress(Bytes in, std::span<std::uint8_t> out);
bool decompress_xpress_huffman(Bytes in, std::span<std::uint8_t> out);
bool decompress_lznt1(Bytes in, std::span<std::uint8_t> out);

// Dispatches on the format; false for one that is none of the three.
bool decompress(CompressionFormat format, Bytes in, std::span<std::uint8_t> out);

}  // namespace tailgate::etl
