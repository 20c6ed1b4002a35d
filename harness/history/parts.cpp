#include "harness/history/parts.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "harness/stats/pseudomedian.h"

namespace tailgate::history {
namespace {

constexpr std::string_view kInfix = "_ns_in_";
constexpr std::array<std::string_view, 4> kMeasures = {"call", "slow_call", "daemons",
                                                       "other_threads"};

bool is_wait(std::string_view cause) {
  return cause.starts_with("waiting") || cause.starts_with("blocked_") || cause == "stopped" ||
         cause == "lock" || cause == "reclaim";
}

}  // namespace

std::string whole_metric(std::string_view measure) {
  return std::string(measure) + "_ns_traced";
}

std::string part_metric(std::string_view measure, std::string_view cause) {
  return std::string(measure).append(kInfix).append(cause);
}

std::optional<PartMetric> part_of_metric(std::string_view metric) {
  const std::size_t at = metric.find(kInfix);
  if (at == std::string_view::npos) return {};
  const std::string_view measure = metric.substr(0, at);
  if (std::find(kMeasures.begin(), kMeasures.end(), measure) == kMeasures.end()) return {};
  return PartMetric{std::string(measure), std::string(metric.substr(at + kInfix.size()))};
}

double middle_of_part(std::string_view cause, const std::vector<double>& values) {
  if (!is_wait(cause)) return pseudomedian(values);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace tailgate::history
