// What a process took with it that the scenario killed, of the events that calls had accepted.
#pragma once

#include <cstdint>

#include "harness/result/action.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Notes how far each load thread is. Call it before the first kill that the provider survives; a
// second call does nothing.
void mark_threads(TrialMemory& memory);

// The number of that thread's first event after the mark; without a mark the largest number.
std::uint64_t end_of_survival(const TrialMemory& memory, unsigned thread);

// Call it after the provider has ended and the consumer has read everything.
Survival survival_of(const TrialMemory& memory);

// Of these events, those whose loss follows from the kill. Others were lost before, between events
// that were read back.
std::uint64_t taken_by_kill(const Survival& survival);

}  // namespace tailgate
