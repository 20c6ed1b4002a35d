#include "harness/trial/trial_trace.h"

#include <algorithm>

#include "harness/explain/explain.h"
#include "harness/explain/start_trace.h"
#include "harness/trial/collector.h"

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

TrialTrace::TrialTrace(const TrialMemory& memory, activity::TraceMethod method,
                       const std::filesystem::path& directory)
    : memory_(memory) {
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    threads_.push_back(memory.thread(i).os_thread.load());
  }
  trace_ = activity::start_trace({.method = method,
                                  .directory = directory,
                                  .clock = Clock(memory.plan().clock),
                                  .threads = threads_,
                                  .cpus = {}});
}

Explanation TrialTrace::explain() {
  // The timeline begins at 0: nothing of the load happened before the trace's first record.
  activity::Timeline timeline(1'000'000'000, 0);
  timeline.keep_intervals();
  for (const std::uint32_t thread : threads_) timeline.watch(thread);
  const LoadPlan& load = memory_.plan().load;
  const TraceUsed used = trace_->read(timeline);
  return activity::explain(timeline, {.trace = used,
                                      .threads = threads_,
                                      .slowest = slowest_calls(memory_),
                                      .slowest_responses = slowest_responses(memory_),
                                      .service = merged(memory_, Metric::service),
                                      .response = merged(memory_, Metric::response),
                                      .thread_rate_hz = thread_rate_hz(load),
                                      .burst_events = load.burst_events,
                                      .quantile = kExplainedQuantile});
}

}  // namespace tailgate
