#include "harness/history/parts.h"

#include <algorithm>
#include <array>

namespace tailgate::history {
namespace {

constexpr std::string_view kInfix = "_ns_in_";
constexpr std::array<std::string_view, 4> kMeasures = {"call", "slow_call", "daemons",
                                                       "other_threads"};

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

}  // namespace tailgate::history
