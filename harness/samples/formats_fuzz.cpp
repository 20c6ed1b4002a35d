// Any bytes, read as each format, end in figures that are finite or in an Error. The first byte
// chooses the format, by its place among all of them in ASCII digits.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/samples/format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  if (size == 0) return 0;
  const auto& formats = all_sample_formats();
  const SampleFormat& format = *formats[data[0] % formats.size()];
  try {
    const SampleSet samples = read_samples(
        format, std::string_view(reinterpret_cast<const char*>(data + 1), size - 1), "input");
    if (samples.series.empty()) std::abort();
    for (const FigureSeries& figure : samples.series) {
      if (figure.values.empty()) std::abort();
      if (samples.processes > 0 && figure.values.size() > samples.processes) std::abort();
      for (const double value : figure.values) {
        if (!std::isfinite(value)) std::abort();
      }
    }
  } catch (const Error&) {
    // Refused: what the reader is there for.
  }
  return 0;
}
