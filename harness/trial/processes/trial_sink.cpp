#include "harness/trial/processes/trial_sink.h"

#include "harness/trial/schedule.h"

namespace tailgate {
namespace {

// An empty list binds nothing.
unsigned load_processors(const TrialPlan& plan) {
  const std::size_t load = cpu_list(plan.load_cpus).size();
  return static_cast<unsigned>(load > 0 ? load : cpu_list(plan.all_cpus).size());
}

}  // namespace

TrialSink trial_sink(const TrialPlan& plan, SinkChoice choice) {
  const Capabilities capabilities = choice.type->capabilities(choice.options);
  const EventEncoding encoding =
      capabilities.text_events ? EventEncoding::text : EventEncoding::binary;
  return {.type = std::move(choice.type),
          .capabilities = capabilities,
          .context = {.options = std::move(choice.options),
                      .directory = plan.directory.get(),
                      .run = plan.run,
                      .threads = plan.load.threads,
                      .processes = plan.load.processes,
                      .sessions = plan.load.sessions,
                      .cpus = load_processors(plan),
                      .own_sessions = plan.load.own_sessions != 0,
                      .rival_may_start = plan.rival_may_start != 0,
                      .max_event_bytes = max_payload_bytes(plan.load, min_event_bytes(encoding)),
                      .expected_bytes = expected_bytes(plan.load, min_event_bytes(encoding)),
                      .clock = Clock(plan.clock),
                      .encoding = encoding}};
}

void publish_losses(const std::vector<Loss>& losses, std::array<LossSlot, kLossSlots>& slots,
                    std::atomic<std::uint32_t>& count) {
  std::size_t used = 0;
  for (const Loss& loss : losses) {
    if (used == kLossSlots) {
      slots[kLossSlots - 1].events += loss.events;
      continue;
    }
    slots[used].cause.set(loss.cause);
    slots[used].events = loss.events;
    ++used;
  }
  count.store(static_cast<std::uint32_t>(used), std::memory_order_release);
}

}  // namespace tailgate
