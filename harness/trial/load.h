// The load of a trial. It is plain data, so it can be copied into shared memory for the provider
// process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/result/values.h"

namespace tailgate {

inline constexpr std::uint32_t kMaxThreads = 256;
inline constexpr std::uint32_t kMaxProcesses = 64;
inline constexpr std::uint32_t kMaxSessions = 64;         // that ETW has room for
inline constexpr std::uint32_t kMaxFurtherConsumers = 4;  // that a scenario starts

enum class PayloadLaw : std::uint32_t { fixed, uniform, lognormal, lines };

// Event sizes in bytes, header included. Drawn sizes are clamped to what the encoding and
// kMaxEventBytes allow. `lines`: the events' bodies are log lines (harness/base/log_lines.h).
struct PayloadPlan {
  PayloadLaw law = PayloadLaw::fixed;
  double first = 128;  // fixed: the size; uniform: smallest; lognormal: median; lines: largest
  double second = 0;   // uniform: largest; lognormal: 99th percentile

  bool operator==(const PayloadPlan&) const = default;
};

struct LoadPlan {
  Shape shape = Shape::steady;
  Pacing pacing = Pacing::hybrid;
  double rate_hz = 1000;      // all threads together; burst: follows from the two below
  double end_rate_hz = 1000;  // ramp only
  // Per burst and thread; max: calls of a thread between two pauses, 0: it makes none.
  std::uint64_t burst_events = 0;
  double burst_gap_s = 0;  // between the starts of two bursts of one thread; max: a pause's length
  std::uint32_t threads = 1;    // of all provider processes together
  std::uint32_t processes = 1;  // provider processes; each has as many of the threads
  std::uint32_t sessions = 1;   // that get every event; the first one is read back
  std::uint32_t late_processes =
      0;  // of the processes, those that a scenario starts, the last ones
  // 1: each provider process has a session of its own instead, and all are read back.
  std::uint32_t own_sessions = 0;
  PayloadPlan payload;
  double warmup_s = 0.5;
  double duration_s = 1;     // of recording; 0: limited by events
  std::uint64_t events = 0;  // recorded, all threads together; 0: limited by duration
  std::uint64_t seed = 1;

  bool operator==(const LoadPlan&) const = default;
};

// Returns about how many events the whole trial emits, including the warm-up: an upper bound for
// open-loop shapes, except that poisson is random, and a guess for max.
std::uint64_t expected_events(const LoadPlan& plan);

// The load threads of each provider process: those of process p have the numbers from p times this.
inline unsigned threads_each(const LoadPlan& plan) {
  return plan.threads / plan.processes;
}

// Throws Error for a plan that cannot be run.
void check_load(const LoadPlan& plan);

// Parses "128", "uniform(64,512)", "lognormal(128,2000)" or "lines(8192)". Throws Error.
PayloadPlan parse_payload(std::string_view text);
std::string payload_text(const PayloadPlan& payload);

}  // namespace tailgate
