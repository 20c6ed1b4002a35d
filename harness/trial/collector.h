// Converts the content of a trial's shared memory to the trial's part of the result.
#pragma once

#include <string>
#include <vector>

#include "harness/histogram/histogram.h"
#include "harness/result/result.h"
#include "harness/sink/sink.h"
#include "harness/trial/interval_series.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Cuts the recorded distributions into intervals while the load threads run.
class IntervalCollector {
 public:
  explicit IntervalCollector(const TrialMemory& memory);

  // Ends the current interval now. Intervals without recorded calls are kept, too, since they show
  // that the load paused. start_ns: of the first interval. roles: what each used in this one.
  void cut(std::uint64_t start_ns, std::uint64_t now_ns, std::vector<RoleUse> roles);

  // The intervals so far; see IntervalSeries::so_far().
  const std::vector<Interval>& so_far() const { return series_.so_far(); }

  // Ends the last interval, and puts all of them into the trial.
  void report(Trial& trial);

 private:
  IntervalSnapshots service_;  // of all threads together
  IntervalSnapshots response_;
  std::uint64_t last_ns_ = 0;
  IntervalSeries series_{kTrialIntervalBytes};
};

// Once the provider has ended: records the calls that it had finished when it was killed and had
// not recorded itself (closed loop only, at most one a thread).
void record_pending_calls(TrialMemory& memory);

// Says why the memory's histograms cannot be what was measured, as when a faulty plugin or program
// wrote into them: counts that nothing could add up to, more calls recorded than have returned, or,
// after a whole load, distributions of different numbers of calls. Empty if they can.
std::string why_not_measured(const TrialMemory& memory, bool whole_load);

// Empties all histograms of the memory.
void discard_measurements(const TrialMemory& memory);

// Returns one metric's histogram of all threads together.
Histogram merged(const TrialMemory& memory, Metric metric);

// Return the calls that all load threads kept, longest time first.
std::vector<SlowCall> slowest_calls(const TrialMemory& memory);
std::vector<SlowCall> slowest_responses(const TrialMemory& memory);

// Fills the recorded distributions, rates, slowest calls, noise and floor. The caller fills the
// outcome, the ledger and the intervals.
void collect_measurements(const TrialMemory& memory, Trial& trial);

// Says of a missed rate whether it is the machine's fault, as trial.neighbours proves it: without
// the time that others took at least from the load's threads, the load would have fitted into its
// time.
void judge_missed_rate(const TrialMemory& memory, Trial& trial);

// Adds remarks about a missed rate, once it is judged, unissued and unaccounted events, noise …,
// each with a remedy.
void add_remarks(const TrialMemory& memory, Trial& trial);

Noise noise_of(const NoiseBlock& block);

// Adds a remark if the machine took much time from an idle thread.
void add_noise_remark(Trial& trial);

// Converts a plan to the result's struct.
Load describe_load(const LoadPlan& plan);

}  // namespace tailgate
