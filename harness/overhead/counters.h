// Arithmetic on counters. A counter that is absent in either operand is absent in the result.
#pragma once

#include <array>

#include "harness/result/overhead.h"

namespace tailgate {

using CounterField = Counters::Count Counters::*;

// The fields that only increase. The other fields, memory and descriptors, are levels.
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
inline constexpr std::array<CounterField, 4> kLevels = {
    &Counters::rss_bytes, &Counters::peak_rss_bytes, &Counters::private_bytes,
    &Counters::descriptors};

// Returns after - before for counts, or zero if that is negative (a coarse counter may run
// backwards by one step). Levels are taken from `after`.
Counters difference(const Counters& after, const Counters& before);

// Adds up all fields, counts and levels.
Counters sum(const Counters& a, const Counters& b);

}  // namespace tailgate
