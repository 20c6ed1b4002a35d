// Compressors for the three formats, for traces with known content. They must produce valid output
// with every kind of item; they need not compress well.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/etl/log_header.h"

namespace tailgate::etl {

std::vector<std::uint8_t> compress(CompressionFormat format, Bytes data);

}  // namespace tailgate::etl
