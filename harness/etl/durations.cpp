#include "harness/etl/durations.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace tailgate::etl {

void Durations::record(std::uint64_t duration_ns, bool may_grow) {
  static const HistogramLayout kLayout{HistogramRange{}};
  min_ns_ = count_ == 0 ? duration_ns : std::min(min_ns_, duration_ns);
  max_ns_ = std::max(max_ns_, duration_ns);
  ++count_;
  total_ns_ += std::min(duration_ns, std::numeric_limits<std::uint64_t>::max() - total_ns_);
  const auto slot = static_cast<std::uint32_t>(kLayout.index_of(kLayout.clamp(duration_ns)));
  if (const auto at = slots_.find(slot); at != slots_.end()) {
    ++at->second;
  } else if (may_grow) {
    slots_.emplace(slot, 1);
  } else {
    ++in_no_slot_;
  }
}

double Durations::mean_ns() const {
  return count_ == 0 ? 0 : static_cast<double>(total_ns_) / static_cast<double>(count_);
}

Histogram Durations::histogram() const {
  std::uint32_t last = 0;
  for (const auto& [slot, count] : slots_) last = std::max(last, slot);
  std::vector<std::uint64_t> counts(slots_.empty() ? 0 : last + 1);
  for (const auto& [slot, count] : slots_) counts[slot] = count;
  return {HistogramLayout(HistogramRange{}), std::move(counts)};
}

}  // namespace tailgate::etl
