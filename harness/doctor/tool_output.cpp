#include "harness/doctor/tool_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/samples/json_documents.h"

namespace tailgate {
namespace {

// More than any run has. So sums stay exact, and times are finite.
constexpr double kMostCounted = 1e12;
constexpr double kNsPerUs = 1000;

Error not_of(const char* tool, const std::string& why) {
  return {fmt::format("what {} printed {}", tool, why),
          fmt::format("run {} by itself, and see what it says", tool)};
}

// A number from 0 to kMostCounted; nothing for any other text.
std::optional<double> as_number(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(value >= 0 && value <= kMostCounted)) return std::nullopt;
  return value;
}

std::optional<double> in_range(std::optional<double> value) {
  if (!value || !(*value >= 0 && *value <= kMostCounted)) return std::nullopt;
  return value;
}

// Wake-ups by their lateness in whole microseconds.
struct WakeUps {
  std::map<double, double> by_us;
  double counted = 0;  // in by_us
  double all = 0;
  double max_us = 0;
};

void add_thread(const nlohmann::json& thread, WakeUps& wake_ups) {
  const auto cycles = in_range(number_member(thread, "cycles"));
  const auto max_us = in_range(number_member(thread, "max"));
  const nlohmann::json* const histogram = member(thread, "histogram");
  if (!cycles || !max_us || histogram == nullptr || !histogram->is_object()) {
    throw not_of("cyclictest", "has a thread without cycles, max or histogram");
  }
  wake_ups.all += std::floor(*cycles);
  wake_ups.max_us = std::max(wake_ups.max_us, *max_us);
  for (const auto& [late_us, value] : histogram->items()) {
    const auto us = as_number(late_us);
    const auto count = value.is_number() ? in_range(value.get<double>()) : std::nullopt;
    if (!us || !count) throw not_of("cyclictest", "has a histogram of other things than counts");
    wake_ups.by_us[*us] += std::floor(*count);
    wake_ups.counted += std::floor(*count);
  }
}

// By the nearest rank, in nanoseconds: the middle of the microsecond.
double quantile_ns(const WakeUps& wake_ups, double share) {
  const double rank = std::max(1.0, std::ceil(share * wake_ups.all));
  double below = 0;
  for (const auto& [late_us, count] : wake_ups.by_us) {
    below += count;
    if (below >= rank) return (late_us + 0.5) * kNsPerUs;
  }
  return (wake_ups.max_us + 0.5) * kNsPerUs;
}

// The word at the text's beginning, after blanks; it ends at a blank, the line's end, or an escape
// for colours.
std::string_view first_word(std::string_view text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
  return text.substr(0, text.find_first_of(" \r\n\x1b"));
}

// The first number that follows these words.
double number_after(std::string_view text, std::string_view before) {
  for (std::size_t at = text.find(before); at != std::string_view::npos;
       at = text.find(before, at + 1)) {
    if (const auto value = as_number(first_word(text.substr(at + before.size())))) return *value;
  }
  throw not_of("sockperf", fmt::format("has no number after '{}'", before));
}

}  // namespace

LatencySummary read_cyclictest(std::string_view json) {
  WakeUps wake_ups;
  visit_documents(json, "what cyclictest wrote", [&](const nlohmann::json& document) {
    const nlohmann::json* const threads = member(document, "thread");
    if (threads == nullptr || !threads->is_object()) return;
    for (const auto& [number, thread] : threads->items()) add_thread(thread, wake_ups);
  });
  wake_ups.all = std::max(wake_ups.all, wake_ups.counted);
  if (wake_ups.all < 1) throw not_of("cyclictest", "has no wake-ups");
  return {.count = static_cast<std::uint64_t>(wake_ups.all),
          .p50_ns = quantile_ns(wake_ups, 0.5),
          .p99_ns = quantile_ns(wake_ups, 0.99),
          .max_ns = (wake_ups.max_us + 0.5) * kNsPerUs};
}

LatencySummary read_sockperf(std::string_view text) {
  const double count = number_after(text, "Total ");
  if (count < 1) throw not_of("sockperf", "has no observations");
  return {.count = static_cast<std::uint64_t>(count),
          .p50_ns = number_after(text, "percentile 50.000 =") * kNsPerUs,
          .p99_ns = number_after(text, "percentile 99.000 =") * kNsPerUs,
          .max_ns = number_after(text, "<MAX> observation =") * kNsPerUs};
}

}  // namespace tailgate
