// For tests: a load of calls on one processor under a trace, and why the slow ones were slow.
#pragma once

#include <catch2/catch.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/explain/explain.h"
#include "harness/explain/start_trace.h"
#include "harness/os/affinity.h"
#include "harness/os/process.h"

namespace tailgate::activity {

inline bool skipped() {
  const Probe probe = probe_trace();
  if (!probe.available) WARN("skipped: " << probe.reason << "; " << probe.remedy);
  return !probe.available;
}

inline const Clock& run_clock() {
  static const Clock clock(measure_clock());
  return clock;
}

inline int load_cpu() {
  return initial_cpus().back();
}

struct Load {
  int calls = 2000;
  std::chrono::microseconds gap{100};
  TraceMethod method = TraceMethod::kernel_trace;
  double quantile = 0.99;
  bool functions = false;
};

inline void spin_until(std::uint64_t ns) {
  while (run_clock().now_ns() < ns) {
  }
}

inline void spin_for(std::chrono::nanoseconds time) {
  spin_until(run_clock().now_ns() + static_cast<std::uint64_t>(time.count()));
}

// Makes calls at regular intervals on the load's processor under a trace, and explains the slow
// ones.
inline Explanation explain_calls(const std::function<void(int)>& call, const Load& load,
                                 std::vector<SlowCall>* made = nullptr) {
  const TestDirectory directory;
  std::vector<SlowCall> calls;
  std::uint32_t number = 0;
  std::unique_ptr<Trace> trace;
  std::thread([&] {
    bind_this_thread({load_cpu()});
    number = this_thread_number();
    trace = start_trace({.method = load.method,
                         .directory = directory.path(),
                         .clock = run_clock(),
                         .threads = {number},
                         .functions = load.functions,
                         .cpus = {initial_cpus().front()}});
    calls.reserve(static_cast<std::size_t>(load.calls));
    const auto gap_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(load.gap).count());
    std::uint64_t intended_ns = run_clock().now_ns() + 1'000'000;
    for (int i = 0; i < load.calls; ++i, intended_ns += gap_ns) {
      spin_until(intended_ns);
      const std::uint64_t start_ns = run_clock().now_ns();
      call(i);
      const std::uint64_t end_ns = run_clock().now_after_ns();
      calls.push_back(
          {0, static_cast<std::uint64_t>(i), intended_ns, start_ns, end_ns, current_cpu()});
    }
    trace->stop();
  }).join();
  if (made != nullptr) *made = calls;
  Timeline timeline(1'000'000'000, 0);
  timeline.keep_intervals();
  timeline.watch(number);
  const TraceUsed used = trace->read(timeline);
  CHECK(used.losses.empty());
  CHECK(used.damaged_bytes == 0);
  Histogram service{HistogramRange()};
  Histogram response{HistogramRange()};
  for (const SlowCall& slow : calls) {
    service.record(slow.end_ns - slow.start_ns);
    response.record(slow.end_ns - slow.intended_ns);
  }
  return explain(timeline, {.trace = used,
                            .threads = {number},
                            .slowest = calls,
                            .slowest_responses = calls,
                            .service = service,
                            .response = response,
                            .thread_rate_hz = 1e6 / static_cast<double>(load.gap.count()),
                            .quantile = load.quantile});
}

inline const ExplainedTail& tail(const Explanation& explanation, const std::string& measure) {
  for (const ExplainedTail& one : explanation.tails) {
    if (one.measure == measure) return one;
  }
  throw Error("no tail " + measure, "");
}

}  // namespace tailgate::activity
