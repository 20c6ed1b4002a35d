// Reads any text: every line gives an interval or an Error, and the reader reaches the end.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/base/error.h"
#include "harness/histogram/histogram_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tailgate::HistogramLogReader reader(std::string_view(reinterpret_cast<const char*>(data), size));
  for (bool more = true; more;) {
    try {
      const auto interval = reader.next();
      more = interval.has_value();
      if (more) tailgate::format_percentile_distribution(interval->histogram, 2, 1000.0);
    } catch (const tailgate::Error&) {
    }
  }
  return 0;
}
