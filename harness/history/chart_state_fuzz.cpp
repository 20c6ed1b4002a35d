// Any bytes are a chart or are refused, and a chart takes a night and is written as it was read.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/history/chart_state.h"
#include "harness/stats/night_chart.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  const history::Bytes bytes{std::string(reinterpret_cast<const char*>(data), size)};
  const auto chart = history::decode_chart(bytes);
  if (!chart) return 0;
  if (history::encode_chart(*chart) != bytes) std::abort();
  ChartState next = *chart;
  add_night(next, 0.01);
  if (next.window.size() > kChartWindow) std::abort();
  return 0;
}
