// The events of a trial with the longest delivery times.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/explain/explain.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Keeps the longest deliveries in the reader's own memory until publish().
class SlowestDeliveries {
 public:
  // most: how many are kept.
  explicit SlowestDeliveries(std::uint32_t most) : most_(most) { heap_.reserve(most); }

  void offer(const DeliverySlot& delivery);

  // Writes them into the trial's memory, which has room for so many.
  void publish(const TrialMemory& memory) const;

 private:
  std::uint32_t most_;
  std::vector<DeliverySlot> heap_;  // the shortest one first
};

// Returns what the trial's reader published.
std::vector<activity::SlowDelivery> slowest_deliveries(const TrialMemory& memory);

}  // namespace tailgate
