#include "harness/etl/decompress_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tailgate::etl::fuzz_decompressor(tailgate::etl::CompressionFormat::lznt1, {data, size});
  return 0;
}
