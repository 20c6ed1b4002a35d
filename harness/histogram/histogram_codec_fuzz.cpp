// Decodes any bytes: the outcome is a histogram or an Error. Encodes and decodes a histogram again,
// and compares.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/histogram/histogram_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const tailgate::Histogram histogram = tailgate::decode(bytes);
    if (tailgate::decode(tailgate::encode_v2(histogram)) != histogram) std::abort();
    if (tailgate::decode(tailgate::encode_v2_base64(histogram)) != histogram) std::abort();
    if (histogram.value_at_quantile(1.0) != histogram.max()) std::abort();
  } catch (const tailgate::Error&) {
  }
  return 0;
}
