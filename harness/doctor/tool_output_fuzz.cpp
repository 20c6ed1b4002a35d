// Reads any bytes as what cyclictest and sockperf print: latencies that are numbers from 0 on, or
// an error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/doctor/tool_output.h"

namespace {

template <class Read>
void read_any(const Read& read, std::string_view text) {
  try {
    const tailgate::LatencySummary summary = read(text);
    for (const double ns : {summary.p50_ns, summary.p99_ns, summary.max_ns}) {
      if (!(ns >= 0) || !std::isfinite(ns)) std::abort();
    }
    if (summary.count == 0) std::abort();
  } catch (const tailgate::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_any(tailgate::read_cyclictest, text);
  read_any(tailgate::read_sockperf, text);
  return 0;
}
