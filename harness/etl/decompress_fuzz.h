// Shared by the decompressors' fuzz targets: the first three bytes of the input are the size of the
// output.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/etl/decompress.h"

namespace tailgate::etl {

inline void fuzz_decompressor(CompressionFormat format, Bytes data) {
  constexpr std::size_t kSizeBytes = 3;
  if (data.size() < kSizeBytes) return;
  std::size_t out_bytes = data[0] + 256u * data[1] + 65536u * (data[2] & 3u);
  std::vector<std::uint8_t> out(out_bytes);
  // A copy of exactly the input's size, so that the sanitizer detects reads past its end.
  std::vector<std::uint8_t> in(data.begin() + kSizeBytes, data.end());
  decompress(format, in, out);
}

}  // namespace tailgate::etl
