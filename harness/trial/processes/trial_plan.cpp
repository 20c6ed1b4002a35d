#include "harness/trial/processes/trial_plan.h"

#include <algorithm>
#include <random>

#include "harness/os/affinity.h"
#include "harness/trial/action_times.h"
#include "harness/trial/further_parts.h"
#include "harness/trial/trial_trace.h"

namespace tailgate {
namespace {

template <std::size_t kCount>
void fill_cpus(std::array<std::int32_t, kCount>& slots, const std::vector<int>& cpus) {
  slots.fill(-1);
  std::copy_n(cpus.begin(), std::min(cpus.size(), kCount - 1), slots.begin());
}

}  // namespace

const std::vector<int>& sink_cpus(const TrialSettings& settings) {
  return settings.sink_cpus.empty() ? initial_cpus() : settings.sink_cpus;
}

TrialPlan make_plan(const ProcessesPlan& roles) {
  const TrialSettings& settings = roles.settings;
  TrialPlan plan;
  plan.run = std::random_device()();
  plan.slowest = settings.slowest;
  plan.live = consumer_mode(roles.sink, settings.consumer) == ConsumerMode::live ? 1 : 0;
  // A load in turns logs every call, so the trace needs no kept calls.
  if (settings.trace && roles.turns.count == 0) {
    if (plan.live != 0) plan.slow_deliveries = explained_calls(roles.load);
    plan.slowest = std::max(plan.slowest, explained_calls(roles.load));
    if (roles.load.shape != Shape::max) plan.slowest_responses = explained_calls(roles.load);
  }
  plan.noise_ns = static_cast<std::uint64_t>(settings.noise_s * 1e9);
  plan.poll_interval_ns = static_cast<std::uint64_t>(settings.poll_interval_s * 1e9);
  plan.load = roles.load;
  add_late_processes(settings.actions, roles.sink, plan.load);
  plan.rival_may_start =
      most_started(settings.actions, roles.load, ActionTarget::rival) > 0 ? 1 : 0;
  plan.turns = roles.turns;
  plan.contract = roles.contract ? 1 : 0;
  plan.max_switches = most_switches(settings.actions, roles.load);
  plan.clock = settings.clock;
  plan.range = settings.range;
  fill_cpus(plan.all_cpus, sink_cpus(settings));
  fill_cpus(plan.load_cpus, settings.load_cpus);
  fill_cpus(plan.consumer_cpus, settings.consumer_cpus);
  fill_cpus(plan.victim_cpus, settings.victim_cpus);
  plan.sink.set_whole(roles.sink.text, "a sink with its options");
  plan.directory.set_whole((roles.directory / "sink").string(), "the path of a trial's folder");
  return plan;
}

}  // namespace tailgate
