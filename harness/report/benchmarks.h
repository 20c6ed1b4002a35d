// A result as benchmarks, as other tools know them: what their formats share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/latency.h"
#include "harness/result/result.h"

namespace tailgate {

struct BenchmarkQuantile {
  std::string_view name;
  std::uint64_t Latency::*value_ns;
};
inline constexpr BenchmarkQuantile kBenchmarkQuantiles[] = {{"p50", &Latency::p50_ns},
                                                            {"p99", &Latency::p99_ns},
                                                            {"p99.9", &Latency::p99_9_ns},
                                                            {"max", &Latency::max_ns}};

// A step of a result: scenario, sink and rate, "steady@file/rate_hz:20000"; steps that share these
// have their number, too, "/step:3".
struct BenchmarkStep {
  std::string name;
  std::vector<const Trial*> trials;  // those that completed, at least one
};

// In order. Throws Error when no trial completed.
std::vector<BenchmarkStep> benchmark_steps(const Result& result);

// The provider's processor time per call to the sink in ns, without that in which it waited for
// the next call's time; nothing where it was not measured.
std::optional<double> provider_cpu_ns(const Trial& trial);

}  // namespace tailgate
