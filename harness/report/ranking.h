// Orders what several results measured, so that the best path under one load comes first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/document.h"
#include "harness/result/step_facts.h"

namespace tailgate {

// A path under one load: a step of a result, which the ranking does not own.
struct RankedPath {
  const Result* result;
  const StepSummary* step;
  StepLedger ledger;
  unsigned busy_trials = 0;        // in which the load's processor was not free before the load
  unsigned unobserved_trials = 0;  // before which nobody looked whether it was free
  unsigned all_trials = 0;

  // Whether its figures may be compared: it held the rate, and every event is accounted for.
  bool qualifies() const {
    return step->trials > 0 && !step->saturated && ledger.checked && ledger.balanced;
  }
  // Whether it missed the rate by the machine's fault.
  bool by_machine() const { return step->saturated && step->saturated_by_machine.value_or(false); }
  // Whether it missed the rate also by itself: its median call, on which a busy machine has little
  // influence, takes longer than a thread has for each event.
  bool by_itself() const;
  // Processor time of logging per event, in ns; null where it was not measured.
  const Estimate* cpu_ns() const;
};

// Which of the figures under one load are the paths' own. An event that is due while something else
// has the processor comes late. With a share s of the calls delayed, the quantile q of all calls is
// at most the quantile q / (1 - s) of the undisturbed ones.
enum class Trust {
  tails,    // the 99th percentile, too
  median,   // the median, but not the tails
  nothing,  // not even the median
};

// Up to this share the 99th percentile is at most the undisturbed calls' 99.5th.
inline constexpr double kTailShare = 0.005;
// Up to this one the median is at most their 62.5th percentile.
inline constexpr double kMedianShare = 0.2;

// By the share of the time in which an idle thread did not run: the mean of a path's trials, which
// its figures merge, of the path where it is largest. Where nobody looked, it may be any.
Trust trust_in(const std::vector<RankedPath>& paths);

// The file system on which the sink's file was, where that is in memory, which no crash survives;
// else empty.
std::string memory_file_system(const Result& result);

// The paths that were measured under one load.
struct RankedLoad {
  std::string scenario;
  double rate_hz = 0;      // 0: as fast as they could
  double end_rate_hz = 0;  // of a ramp; else 0
  unsigned threads = 1;
  std::optional<unsigned> processes;  // this and the next as in Load
  std::optional<unsigned> sessions;
  std::string payload;
  std::vector<RankedPath> paths;
};

// The names of the columns to order by.
const std::vector<std::string>& ranking_columns();

// Whether a path comes before another one in the ascending order of the column ("sink" by name);
// those without a figure come last.
bool comes_before(const RankedPath& a, const RankedPath& b, std::string_view column);

// In that order.
void sort_paths(std::vector<RankedPath>& paths, std::string_view column);

// The path of a step, which the result owns.
RankedPath path_of(const Result& result, const StepSummary& step);

// Every load of the results; the paths of each in ascending order of the column ("sink" by name),
// those without a figure last. The load with the most paths comes first, of several the one with
// the highest rate; the rest in the order in which they first occur.
std::vector<RankedLoad> rank(const Results& results, std::string_view column);

}  // namespace tailgate
