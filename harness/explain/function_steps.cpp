#include "harness/explain/function_steps.h"

#include <algorithm>
#include <set>

#include "harness/base/mark_longest.h"

namespace tailgate::activity {
namespace {

constexpr std::size_t kMaxSteps = 256;
constexpr std::size_t kMaxFunctions = 50;

bool is_in_kernel(Cause cause) {
  switch (cause) {
    case Cause::system_call:
    case Cause::page_fault:
    case Cause::unknown:
      return true;
    default:
      return cause >= Cause::page_refill && cause <= Cause::kernel_gap;
  }
}

std::uint64_t length(const FunctionStay& stay) {
  return static_cast<std::uint64_t>(stay.end - stay.begin);
}

}  // namespace

std::vector<FunctionStay> function_stays(const Timeline& timeline, std::uint32_t thread,
                                         const std::vector<Slice>& slices, Ticks start) {
  std::vector<FunctionStay> stays;
  const ThreadHistory* const history = timeline.history(thread);
  if (history == nullptr || history->functions().empty()) return stays;
  const std::vector<FunctionEntry>& entries = history->functions();
  auto next = std::lower_bound(
      entries.begin(), entries.end(), start,
      [](const FunctionEntry& entry, Ticks wanted) { return entry.time < wanted; });
  const auto first = next;
  for (const Slice& slice : slices) {
    if (slice.end <= start || !is_in_kernel(slice.cause)) continue;
    Ticks at = std::max(slice.begin, start);
    while (next != entries.end() && next->time < at) ++next;
    bool entered = false;
    while (true) {
      const Ticks until = next == entries.end() ? slice.end : std::min(next->time, slice.end);
      if (next != first && (until > at || entered)) {
        const std::uint64_t address = std::prev(next)->address;
        stays.push_back({at, until, timeline.kernel_function(address), entered});
      }
      if (until == slice.end) break;
      at = until;
      entered = true;
      ++next;
    }
  }
  return stays;
}

std::optional<CallFunctions> longest_stays(const std::vector<FunctionStay>& stays) {
  if (stays.empty()) return std::nullopt;
  const std::vector<bool> listed = mark_longest(stays.begin(), stays.end(), kMaxSteps, length);
  CallFunctions functions;
  for (std::size_t i = 0; i < stays.size(); ++i) {
    const FunctionStay& stay = stays[i];
    if (!listed[i]) {
      ++functions.steps_left_out;
      functions.left_out_ns += length(stay);
      continue;
    }
    functions.steps.push_back({static_cast<std::uint64_t>(stay.begin),
                               static_cast<std::uint64_t>(stay.end), std::string(stay.name)});
  }
  return functions;
}

void FunctionTimes::add(const std::vector<FunctionStay>& stays) {
  std::set<std::string_view> of_call;
  for (const FunctionStay& stay : stays) {
    FunctionTime& sum = functions_.try_emplace(std::string(stay.name)).first->second;
    sum.time_ns += length(stay);
    sum.entries += stay.entered ? 1 : 0;
    if (of_call.insert(stay.name).second) ++sum.calls;
  }
}

std::optional<TailFunctions> FunctionTimes::report() const {
  if (functions_.empty()) return std::nullopt;
  TailFunctions report;
  for (const auto& [name, sum] : functions_) {
    report.functions.push_back(sum);
    report.functions.back().name = name;
  }
  std::stable_sort(
      report.functions.begin(), report.functions.end(),
      [](const FunctionTime& a, const FunctionTime& b) { return a.time_ns > b.time_ns; });
  for (std::size_t i = kMaxFunctions; i < report.functions.size(); ++i) {
    report.left_out_ns += report.functions[i].time_ns;
  }
  if (report.functions.size() > kMaxFunctions) report.functions.resize(kMaxFunctions);
  return report;
}

}  // namespace tailgate::activity
