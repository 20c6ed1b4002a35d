#include "harness/trial/trial_trace.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/base/error.h"
#include "harness/explain/explain.h"
#include "harness/explain/start_trace.h"
#include "harness/overhead/process_threads.h"
#include "harness/profile/profile.h"
#include "harness/trial/collector.h"
#include "harness/trial/slow_deliveries.h"

namespace tailgate {
namespace {

// If more calls are slow, the explanation says how many are missing.
constexpr double kMaxCalls = 4096;
constexpr double kMinCalls = 64;

double thread_rate_hz(const LoadPlan& load) {
  const double rate_hz =
      load.shape == Shape::ramp ? std::max(load.rate_hz, load.end_rate_hz) : load.rate_hz;
  return load.shape == Shape::max ? 0 : rate_hz / load.threads;
}

}  // namespace

// Keeps twice as many calls as lie beyond the quantile, because threads need not have equal shares
// of the slow calls, and the quantile's slot of the histogram may contain several calls.
std::uint32_t explained_calls(const LoadPlan& load) {
  const auto events = static_cast<double>(expected_events(load));
  const double calls = 2 * events * (1 - kExplainedQuantile);
  return static_cast<std::uint32_t>(std::clamp(calls, kMinCalls, kMaxCalls));
}

TrialTrace::TrialTrace(const TrialMemory& memory, const TrialTracePlan& plan)
    : memory_(memory), functions_(plan.functions) {
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    threads_.push_back(memory.thread(i).os_thread.load());
  }
  for (const WatchedProcess& process : plan.processes) {
    if (process.role == Role::daemons) daemons_.push_back(process.pid);
  }
  find_daemons();
  trace_ = activity::start_trace({.method = plan.method,
                                  .directory = plan.directory,
                                  .clock = Clock(memory.plan().clock),
                                  .threads = threads_,
                                  .functions = plan.functions,
                                  .cpus = {}});
  if (plan.sample_hz > 0) start_sampler(plan);
}

void TrialTrace::start_sampler(const TrialTracePlan& plan) {
  profile::SamplerOptions options{
      .rate_hz = plan.sample_hz, .clock = Clock(memory_.plan().clock), .load = threads_};
  options.directory = plan.directory;
  for (const WatchedProcess& process : plan.processes) {
    if (process.role == Role::provider) {
      options.processes.push_back({profile::SampledRole::provider, process.pid});
    } else if (process.role == Role::daemons) {
      options.processes.push_back({profile::SampledRole::daemons, process.pid});
    }
  }
  try {
    sampler_ = profile::start_sampler(options);
  } catch (const Error& error) {
    why_not_sampled_ = error.what();
  }
}

void TrialTrace::find_daemons() {
  if (memory_.plan().slow_deliveries == 0) return;
  for (const ProcessThread& one : threads_of(daemons_)) {
    daemon_threads_.insert(static_cast<std::uint32_t>(one.thread));
  }
}

activity::Carriers TrialTrace::carriers() const {
  return {.load = threads_,
          .daemons = {daemon_threads_.begin(), daemon_threads_.end()},
          .reader = memory_.header().consumer.os_thread.load(std::memory_order_acquire)};
}

void TrialTrace::stop() {
  find_daemons();
  if (sampler_) sampler_->stop();
  trace_->stop();
}

TraceUsed TrialTrace::read_trace(activity::Timeline& timeline) {
  TraceUsed used = trace_->read(timeline);
  const bool recorded = std::any_of(threads_.begin(), threads_.end(), [&](std::uint32_t thread) {
    return !timeline.history(thread)->functions().empty();
  });
  if (functions_ && !recorded) {
    used.limits += used.limits.empty() ? "" : "; ";
    used.limits += "no function of the kernel was recorded";
  }
  return used;
}

Explanation TrialTrace::explain() {
  // The timeline begins at 0: nothing of the load happened before the trace's first record.
  activity::Timeline timeline(1'000'000'000, 0);
  timeline.keep_intervals();
  for (const std::uint32_t thread : threads_) timeline.watch(thread);
  if (sampler_) timeline.set_bystander(sampler_->collector());
  const NoiseBlock& noise = memory_.header().provider.noise;
  for (const PulseTrain& tick : noise.ticks) {
    if (tick.period <= 0 || noise.processor < 0) continue;
    timeline.add_machine_tick(static_cast<std::uint32_t>(noise.processor), tick);
  }
  std::optional<activity::ExplainedDeliveries> deliveries;
  if (memory_.plan().slow_deliveries > 0) {
    deliveries = {.slowest = slowest_deliveries(memory_),
                  .delivery = snapshot(memory_.layout(), memory_.delivery_words()),
                  .carriers = carriers()};
    timeline.watch(deliveries->carriers.reader);
    for (const std::uint32_t thread : daemon_threads_) timeline.watch(thread);
  }
  const LoadPlan& load = memory_.plan().load;
  const TraceUsed used = read_trace(timeline);
  const std::vector<SlowCall> slowest = slowest_calls(memory_);
  const std::vector<SlowCall> responses = slowest_responses(memory_);
  Explanation explanation =
      activity::explain(timeline, {.trace = used,
                                   .threads = threads_,
                                   .slowest = slowest,
                                   .slowest_responses = responses,
                                   .service = merged(memory_, Metric::service),
                                   .response = merged(memory_, Metric::response),
                                   .thread_rate_hz = thread_rate_hz(load),
                                   .burst_events = load.burst_events,
                                   .quantile = kExplainedQuantile,
                                   .deliveries = std::move(deliveries)});
  add_profile(explanation, slowest, responses);
  return explanation;
}

void TrialTrace::add_profile(Explanation& explanation, const std::vector<SlowCall>& slowest,
                             const std::vector<SlowCall>& slowest_responses) {
  if (!why_not_sampled_.empty()) explanation.profile = profile::no_profile(why_not_sampled_);
  if (!sampler_) return;
  const auto warmup_ns = static_cast<std::uint64_t>(memory_.plan().load.warmup_s * 1e9);
  profile::ProfileRequest request{.begin_ns = memory_.header().go_ns.load() + warmup_ns,
                                  .threads = threads_,
                                  .slowest = slowest,
                                  .slowest_responses = slowest_responses};
  for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
    request.end_ns = std::max(request.end_ns, memory_.thread(i).last_end_ns.load());
  }
  explanation.profile = profile::make_profile(sampler_->read(), explanation, request);
}

}  // namespace tailgate
