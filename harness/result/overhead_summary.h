// From what roles used in trials and their control trials to what logging cost by event.
#pragma once

#include <optional>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// RoleOverhead::role of provider, daemons and kernel together.
inline constexpr const char* kLoggingRole = "logging";

// A trial and the control trial that ran beside it; null where the run had none.
struct TrialPair {
  const Trial* trial;
  const Trial* control;
};

// The completed trials of a step that have an overhead, each with its control trial. When the
// result has control trials at all, those without a completed one are left out.
std::vector<TrialPair> overhead_pairs(const Result& result, unsigned step);

// By role, in the order of the first trial's roles, then "logging". A role that had no process in
// any of the trials is left out.
std::vector<RoleOverhead> summarize_overhead(const std::vector<TrialPair>& pairs);

// Absent where the victim or the control is.
std::optional<Estimate> summarize_victim(const std::vector<TrialPair>& pairs);

// Processor time that a role used for more than waiting: its cpu_ns, less the time in which load
// threads spun for the next intended time. Of that time they got only what the run queue left
// them, taken to be spread evenly over the load. threads: load threads.
std::optional<double> busy_cpu_ns(const Overhead& overhead, const Counters& role, unsigned threads);

}  // namespace tailgate
