// What the trials of one step say on whether its figures may be used: what became of its events,
// and how busy the machine was.
#pragma once

#include <cstdint>

#include "harness/result/result.h"

namespace tailgate {

// A trial with more of its time lost before the load, by an idle thread, had a busy machine. The
// remark on a trial says the same (harness/trial/collector.cpp).
inline constexpr double kBusyShare = 0.05;

// What all trials of one step found of its events.
struct StepLedger {
  bool checked = true;     // events were read back in every trial
  bool unchecked = false;  // events that should have been read back were not
  bool balanced = true;    // none is unaccounted for
  std::uint64_t emitted = 0;
  std::uint64_t lost = 0;

  bool all_lost() const { return emitted > 0 && lost >= emitted; }
};

struct StepFacts {
  StepLedger ledger;
  unsigned busy_trials = 0;        // in which the load's processor was not free before the load
  unsigned unobserved_trials = 0;  // before which nobody looked whether it was free
  unsigned all_trials = 0;
  double worst_busy_share = 0;  // of the time that an idle thread lost before a trial
};

StepFacts step_facts(const Result& result, unsigned step);

}  // namespace tailgate
