// What cyclictest and sockperf print of a machine's latencies. Their files are of another program:
// the readers accept any bytes, and throw Error for what is not such an output.
#pragma once

#include <cstdint>
#include <string_view>

namespace tailgate {

struct LatencySummary {
  std::uint64_t count = 0;
  double p50_ns = 0;
  double p99_ns = 0;
  double max_ns = 0;
};

// The JSON file of cyclictest with a histogram (--histogram, --json), of all its threads together:
// how late wake-ups were. Times are whole microseconds, rounded down; their middle is returned.
// Wake-ups beyond the histogram count as the latest one. Throws Error.
LatencySummary read_cyclictest(std::string_view json);

// What sockperf's ping-pong prints: half round trips. Throws Error.
LatencySummary read_sockperf(std::string_view text);

}  // namespace tailgate
