// From the log of one side's calls to its figures: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/histogram_layout.h"
#include "harness/result/duet.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Response times of calls of one thread, had it never been kept waiting by anything but its own
// calls: Lindley's recursion (D. V. Lindley, "The theory of queues with a single server", 1952),
// end = max(due, previous end) + service, response = end - due. As many of each, due times rising.
std::vector<std::uint64_t> lindley_response_ns(std::span<const std::uint64_t> due_ns,
                                               std::span<const std::uint64_t> service_ns);

// Mean of the smallest values that make up `share` of them all (rounded up, 0 < share <= 1); 0 for
// no values.
double trimmed_mean(std::vector<std::uint64_t> values, double share);

// The smallest value that at least half of the values do not exceed; 0 for no values.
std::uint64_t lower_median(std::vector<std::uint64_t> values);

// For each slice of that side, in order: what ran before it; nothing for one that opens the order.
// slice_order as in DuetRound, side 'A' or 'B'.
std::vector<std::optional<char>> sides_before(const std::string& slice_order, char side);

struct FiguresPlan {
  HistogramRange range;
  std::uint64_t slice_ns = 0;      // how long each slice was meant to last
  unsigned dropped_per_slice = 0;  // recorded calls at the beginning of each slice to leave out
  bool closed_loop = false;        // response times are service times
  std::string slice_order;
  char side = 'A';
};

// Fills in what follows from the calls alone: events, dropped, all distributions, the trimmed mean,
// the counts of slow calls by kind, over_100us and over_1ms, the rate (rate_missed as far as calls
// that were issued tell), carry_over. calls: in the order in
// which they were made.
void add_figures(std::span<const CallRecord> calls, const FiguresPlan& plan, DuetSide& side);

}  // namespace tailgate
