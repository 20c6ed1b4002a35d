// Which of a trial's accepted events were left at the end.
#pragma once

#include "harness/result/kept_events.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Call it after the consumer has published what it read.
KeptEvents kept_events_of(const TrialMemory& memory);

}  // namespace tailgate
