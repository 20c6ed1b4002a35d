// Computes the cost of logging per event from what each role used in trials and control trials.
#pragma once

#include <optional>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// The RoleOverhead::role that sums up provider, daemons and kernel.
inline constexpr const char* kLoggingRole = "logging";

// A trial and its control trial; null if the run had no control trials.
struct TrialPair {
  const Trial* trial;
  const Trial* control;
};

// Returns the completed trials of a step that have an overhead, each with its control trial. If the
// result has any control trials, trials without a completed control trial are omitted.
std::vector<TrialPair> overhead_pairs(const Result& result, unsigned step);

// Returns the overhead by role, in the order of the first trial's roles, then "logging". Omits
// roles that had no process in any trial.
std::vector<RoleOverhead> summarize_overhead(const std::vector<TrialPair>& pairs);

// Returns by how many percent the victim's rounds took longer; absent without a victim or control.
std::optional<Estimate> summarize_victim(const std::vector<TrialPair>& pairs);

// Returns the processor time that a role used for anything but spinning: cpu_ns minus the processor
// time of load threads that spun until the next intended time. While spinning, a thread had the
// processor only when it did not wait in the run queue; that wait is assumed to be spread evenly
// over the load. threads: number of load threads.
std::optional<double> busy_cpu_ns(const Overhead& overhead, const Counters& role, unsigned threads);

}  // namespace tailgate
