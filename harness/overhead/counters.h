// Arithmetic on counters. A counter that is missing on either side is missing in the outcome.
#pragma once

#include <array>

#include "harness/result/overhead.h"

namespace tailgate {

using CounterField = Counters::Count Counters::*;

// The fields that count up; the others, memory, are levels.
inline constexpr std::array<CounterField, 21> kCounts = {
    &Counters::cpu_ns,
    &Counters::user_ns,
    &Counters::system_ns,
    &Counters::spun_ns,
    &Counters::cycles,
    &Counters::run_queue_ns,
    &Counters::switches,
    &Counters::voluntary_switches,
    &Counters::involuntary_switches,
    &Counters::minor_faults,
    &Counters::major_faults,
    &Counters::read_bytes,
    &Counters::written_bytes,
    &Counters::storage_read_bytes,
    &Counters::storage_written_bytes,
    &Counters::cpu_stall_ns,
    &Counters::memory_stall_ns,
    &Counters::io_stall_ns,
    &Counters::interrupts,
    &Counters::softirqs,
    &Counters::stolen_ns,
};
inline constexpr std::array<CounterField, 2> kLevels = {&Counters::rss_bytes,
                                                        &Counters::peak_rss_bytes};

// after - before for counts, zero where that were negative (a counter of coarse steps may run
// back); levels are those after.
Counters difference(const Counters& after, const Counters& before);

// All fields together.
Counters sum(const Counters& a, const Counters& b);

}  // namespace tailgate
