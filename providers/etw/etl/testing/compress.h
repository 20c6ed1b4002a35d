// Compressors of the three formats, for traces with known content. Simple, not good: they have to
// be valid and to use every kind of item, not to be small.
#pragma once

#include <cstdint>
#include <vector>

#include "providers/etw/etl/log_header.h"

namespace tailgate::etl {

std::vector<std::uint8_t> compress_xpress(Bytes data);
std::vector<std::uint8_t> compress_lznt1(Bytes data);
std::vector<std::uint8_t> compress_xpress_huffman(Bytes data);
std::vector<std::uint8_t> compress(CompressionFormat format, Bytes data);

}  // namespace tailgate::etl
