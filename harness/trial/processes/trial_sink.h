// The sink and its context in a trial. Each of the three processes builds it from the plan.
#pragma once

#include "harness/sink/catalog.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

struct TrialSink {
  std::shared_ptr<const SinkType> type;
  Capabilities capabilities;
  TrialContext context;
};

// choice: the sink named in the plan.
TrialSink trial_sink(const TrialPlan& plan, SinkChoice choice);

// Returns a processor list of the plan up to its end mark.
template <std::size_t kCount>
std::vector<int> cpu_list(const std::array<std::int32_t, kCount>& cpus) {
  std::vector<int> list;
  for (std::int32_t cpu : cpus) {
    if (cpu < 0) break;
    list.push_back(cpu);
  }
  return list;
}

// Writes losses into the slots; if there are too many, adds the rest to the last slot.
void publish_losses(const std::vector<Loss>& losses, std::array<LossSlot, kLossSlots>& slots,
                    std::atomic<std::uint32_t>& count);

}  // namespace tailgate
