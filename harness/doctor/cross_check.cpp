#include "harness/doctor/cross_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailgate {
namespace {

constexpr double kResolutionNs = 1000;

// Of the rounds, the middle one or the mean of the two.
double middle_of(const std::vector<LatencySummary>& rounds, double LatencySummary::*figure) {
  std::vector<double> values;
  for (const LatencySummary& round : rounds) values.push_back(round.*figure);
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string latency_words(double ns) {
  if (ns >= 1e6) return fmt::format("{:.1f} ms", ns / 1e6);
  return ns < 10'000 ? fmt::format("{:.1f} us", ns / 1e3) : fmt::format("{:.0f} us", ns / 1e3);
}

bool agree(double own_ns, double tool_ns) {
  if (std::abs(own_ns - tool_ns) <= kResolutionNs) return true;
  const auto [low, high] = std::minmax(own_ns, tool_ns);
  return high <= kAgreeingFactor * low;
}

Finding judge_cross_check(const CrossCheck& check) {
  if (!check.installed) {
    return {.name = check.tool,
            .mark = Mark::unknown,
            .value = fmt::format("not known: {} is not installed", check.tool),
            .remedy = fmt::format("apt-get install {}", check.package)};
  }
  if (!check.failure.empty() || check.by_tool.empty() || check.by_tailgate.empty()) {
    return {.name = check.tool,
            .mark = Mark::unknown,
            .value = "not known: " + check.failure,
            .remedy = ""};
  }
  const double own_ns = middle_of(check.by_tailgate, &LatencySummary::p50_ns);
  const double tool_ns = middle_of(check.by_tool, &LatencySummary::p50_ns);
  const double own_p99_ns = middle_of(check.by_tailgate, &LatencySummary::p99_ns);
  const double tool_p99_ns = middle_of(check.by_tool, &LatencySummary::p99_ns);
  const bool good = agree(own_ns, tool_ns);
  return {.name = check.tool,
          .mark = good ? Mark::ok : Mark::warning,
          .value = fmt::format("{}: median {} by tailgate, {} by {}; p99 {} and {}. The medians {} "
                               "within a factor of {:g}",
                               check.what, latency_words(own_ns), latency_words(tool_ns),
                               check.tool, latency_words(own_p99_ns), latency_words(tool_p99_ns),
                               good ? "are" : "are not", kAgreeingFactor),
          .remedy = good ? "" : "run it again while nothing else runs, and compare",
          .figures = {{"tailgate_p50_ns", own_ns},
                      {"tool_p50_ns", tool_ns},
                      {"tailgate_p99_ns", own_p99_ns},
                      {"tool_p99_ns", tool_p99_ns},
                      {"rounds", static_cast<double>(check.by_tool.size())}}};
}

}  // namespace

std::vector<Finding> judge_cross_checks(const std::vector<CrossCheck>& checks) {
  std::vector<Finding> findings;
  for (const CrossCheck& check : checks) findings.push_back(judge_cross_check(check));
  return findings;
}

}  // namespace tailgate
