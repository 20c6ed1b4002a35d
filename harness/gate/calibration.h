// Applies a policy to comparisons whose true answer is known, and counts false alarms and detected
// changes, with exact confidence intervals. Everything is computed from the record alone
// (harness/result/calibration.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/policy.h"
#include "harness/gate/relabelling.h"
#include "harness/result/calibration.h"
#include "harness/result/verdict.h"
#include "harness/stats/binomial_interval.h"

namespace tailgate {

// The record of one comparison. sink: without the planted change. duration_s: how long the duet
// took, in seconds.
CalibrationRun calibration_run(const Duet& duet, const Verdict& verdict, const std::string& sink,
                               const std::string& planted, double duration_s);

// The runs of several records: of several nights, or of several machines. Throws Error when two of
// them hold the same run, which would be counted twice, and when a metric has values that
// cannot be compared, such as 0 of a ratio.
Calibration joined(const std::vector<Calibration>& records);

// The outcome of a recorded comparison under a policy. Where a rule decided (by_rule) it is the
// recorded outcome; else the rounds are decided anew.
std::string outcome_under(const CalibrationRun& run, const Policy& policy);

// All comparisons of one sink under one load with the same planted change.
struct CalibrationRow {
  std::string sink;
  std::string load;  // as CalibrationRun::scenario has it
  std::string planted;
  std::uint64_t runs = 0;
  std::uint64_t pass = 0;
  std::uint64_t fail = 0;
  std::uint64_t inconclusive = 0;
  std::uint64_t invalid = 0;
  double mean_rounds = 0;
  double mean_duration_s = 0;
  ShareInterval failed;  // share that failed, with its 95 % interval (Clopper and Pearson): false
                         // alarms where nothing was planted, else the changes that were detected
  ShareInterval passed;  // share that passed, with the same interval
};

// A row for each sink, load and planted change. Sinks with their loads are in the order in which
// they first occur; of each, the row with nothing planted comes first, then its changes as they
// first occur.
std::vector<CalibrationRow> summarize(const Calibration& calibration, const Policy& policy);

// The decisions on relabelled rounds: a coin exchanges the sides of each round, then one metric of
// side B is made worse, or it gets stalls, or neither.
struct RelabelledRow {
  std::string sink;
  std::string load;
  std::string worse;                  // the metric; empty: none
  double worse_by = 0;                // B's value of each round times 1 + this
  std::optional<PlantedStall> stall;  // what B has instead of a worse metric
  std::uint64_t rounds = 0;           // of all comparisons with nothing planted
  std::uint64_t gates = 0;            // decisions, each on rounds drawn from those
  std::uint64_t pass = 0;
  std::uint64_t fail = 0;
  ShareInterval failed;  // share of the gates that failed, with its 95 % interval
};

// For one gate, draws rounds without replacement from all rounds of the sink's comparisons under
// that load with nothing planted: as many as the policy's last look needs, or all when there are
// fewer. A coin exchanges the sides of each round; then the policy decides.
//
// Each sink and load gets a row of `gates` such gates with nothing worse. Then each gated metric
// that is a ratio gets a row of a tenth as many, in which that metric of side B is worse: a
// quantile by the change that the policy wants found, others by twice their margin. Where calls
// over 1 ms are gated, as large rows follow in which side B stalls, once in 1 to 30 seconds of its
// load. The gates share rounds, so the result bounds the errors for these rounds only.
//
// Leaves out those with fewer rounds than the first look needs. gates = 0: no rows. seed: of the
// draws and coins.
std::vector<RelabelledRow> relabelled(const Calibration& calibration, const Policy& policy,
                                      std::size_t gates, std::uint64_t seed);

}  // namespace tailgate
