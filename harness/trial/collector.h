// Turns what a trial's shared memory holds into the trial's part of the result.
#pragma once

#include <string>
#include <vector>

#include "harness/base/histogram.h"
#include "harness/result/result.h"
#include "harness/trial/trial_memory.h"
#include "providers/sink.h"

namespace tailgate {

// Cuts the recorded distributions into intervals while the load threads run.
class IntervalCollector {
 public:
  explicit IntervalCollector(const TrialMemory& memory);

  // Ends the current interval now. Intervals in which nothing was recorded are kept too: a hole
  // in the load is information.
  void cut(std::uint64_t now_ns);

  // All intervals so far, the first of them starting at start_ns.
  std::vector<Interval> intervals(std::uint64_t start_ns) const;

 private:
  struct Cut {
    std::uint64_t end_ns;
    Histogram service;
    Histogram response;
  };

  const TrialMemory& memory_;
  std::vector<IntervalSnapshots> service_;  // one per thread
  std::vector<IntervalSnapshots> response_;
  std::vector<Cut> cuts_;
};

// All threads' values of one metric together.
Histogram merged(const TrialMemory& memory, Metric metric);

// The calls that the load threads kept, of all of them together, longest time first.
std::vector<SlowCall> slowest_calls(const TrialMemory& memory);
std::vector<SlowCall> slowest_responses(const TrialMemory& memory);

// Recorded distributions, rates, slowest calls, noise and floor. The outcome, the ledger and the
// intervals are the caller's.
void collect_measurements(const TrialMemory& memory, Trial& trial);

// What the three processes know about losses, and whether the consumer's word can be had.
struct LedgerInputs {
  bool read_back = false;  // the consumer ended well
  bool accounts_losses = false;
  std::vector<Loss> session_losses;
  std::string provider_end;  // how the provider ended, when that was not by itself
};

LedgerAccount balance_ledger(const TrialMemory& memory, const LedgerInputs& inputs);

// What a reader must know: missed rate, unissued and unaccounted events, noise … each with what to
// do about it.
void add_remarks(const TrialMemory& memory, Trial& trial);

// The plan in the result's words.
Load describe_load(const LoadPlan& plan);

}  // namespace tailgate
