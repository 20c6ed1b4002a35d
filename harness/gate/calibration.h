// Holding the gate against comparisons whose answer is known: false alarms, detection, and how sure
// both are. Everything follows from the record alone (harness/result/calibration.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/gate/policy.h"
#include "harness/result/calibration.h"
#include "harness/result/verdict.h"
#include "harness/stats/binomial_interval.h"

namespace tailgate {

inline constexpr const char* kPlantedNothing = "none";

// The record of one comparison. sink: without what was planted. duration_s: how long it took.
CalibrationRun calibration_run(const Duet& duet, const Verdict& verdict, const std::string& sink,
                               const std::string& planted, double duration_s);

// The runs of several records: of several nights, or of several machines. Throws Error when two of
// them hold the same run, which would count twice.
Calibration joined(const std::vector<Calibration>& records);

// What a policy says of a recorded comparison: the recorded outcome where a rule decided, else the
// outcome of its rounds.
std::string outcome_under(const CalibrationRun& run, const Policy& policy);

// All comparisons of one sink with the same planted change.
struct CalibrationRow {
  std::string sink;
  std::string planted;
  std::uint64_t runs = 0;
  std::uint64_t pass = 0;
  std::uint64_t fail = 0;
  std::uint64_t inconclusive = 0;
  std::uint64_t invalid = 0;
  double mean_rounds = 0;
  double mean_duration_s = 0;
  ShareInterval failed;  // share that failed, with its 95 % interval (Clopper and Pearson): false
                         // alarms where nothing was planted, else what was found
  ShareInterval passed;  // share that passed, likewise
};

// A row for each sink and planted change, in the order in which they first occur, nothing planted
// first.
std::vector<CalibrationRow> summarize(const Calibration& calibration, const Policy& policy);

// What would have been decided had the coin named the sides otherwise, and one metric of side B
// been worse.
struct RelabelledRow {
  std::string sink;
  std::string worse;         // the metric; empty: none
  double worse_by = 0;       // B's value of each round times 1 + this
  std::uint64_t rounds = 0;  // from comparisons in which nothing was planted
  std::uint64_t gates = 0;   // decisions made from them
  std::uint64_t pass = 0;
  std::uint64_t fail = 0;
  ShareInterval failed;  // share of the gates that failed, with its 95 % interval
};

// Draws as many rounds as the policy's last look wants (or as there are) from all those of a sink's
// comparisons with nothing planted, names the sides of each by a coin, and decides. For each sink a
// row of so many gates with nothing worse; then a row of a tenth as many for each gated metric that
// is a ratio, worse by what the policy wants found of a quantile, else by twice its margin. The
// gates share rounds, so this bounds the errors given these rounds, no more. Sinks with fewer
// rounds than the first look wants are left out, and without gates all are.
std::vector<RelabelledRow> relabelled(const Calibration& calibration, const Policy& policy,
                                      std::size_t gates, std::uint64_t seed);

}  // namespace tailgate
