// The sink's view of a trial, as each of the three processes rebuilds it from the plan.
#pragma once

#include "harness/trial/trial_memory.h"
#include "providers/registry.h"

namespace tailgate {

struct TrialSink {
  const SinkType* type;
  Capabilities capabilities;
  TrialContext context;
};

// Throws Error when the plan's sink text is not valid.
TrialSink trial_sink(const TrialPlan& plan);

// The plan's list of processors, without the ends.
template <std::size_t kCount>
std::vector<int> cpu_list(const std::array<std::int32_t, kCount>& cpus) {
  std::vector<int> list;
  for (std::int32_t cpu : cpus) {
    if (cpu < 0) break;
    list.push_back(cpu);
  }
  return list;
}

// Writes losses into their slots; what does not fit is added to the last one.
void publish_losses(const std::vector<Loss>& losses, std::array<LossSlot, kLossSlots>& slots,
                    std::atomic<std::uint32_t>& count);

}  // namespace tailgate
