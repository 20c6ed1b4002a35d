// The three decompressors: the first byte picks one, the next three the size of its output.
#include <cstdint>
#include <vector>

#include "providers/etw/etl/decompress.h"

using namespace tailgate::etl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  static constexpr CompressionFormat kFormats[] = {
      CompressionFormat::xpress, CompressionFormat::lznt1, CompressionFormat::xpress_huffman};
  std::size_t out_bytes = data[1] + 256u * data[2] + 65536u * (data[3] & 3u);
  std::vector<std::uint8_t> out(out_bytes);
  // A copy of exactly the input's size lets the sanitizer see reads past its end.
  std::vector<std::uint8_t> in(data + 4, data + size);
  decompress(kFormats[data[0] % 3], in, out);
  return 0;
}
