// Computes a side's figures from the log of its calls: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/histogram/histogram_layout.h"
#include "harness/result/duet.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Returns the response times that the calls of one thread would have if the thread had waited only
// for its own calls. Lindley's recursion (D. V. Lindley, "The theory of queues with a single
// server", 1952): end = max(due, previous end) + service, response = end - due. Both lists have the
// same length; due times are ascending.
std::vector<std::uint64_t> lindley_response_ns(std::span<const std::uint64_t> due_ns,
                                               std::span<const std::uint64_t> service_ns);

// Returns the mean of the smallest `share` of the values (count rounded up, 0 < share <= 1); 0 for
// no values.
double trimmed_mean(std::vector<std::uint64_t> values, double share);

// Returns the mean of the values beyond the smallest 99 %, without the largest 0.1 % (both counts
// rounded up); nothing where fewer than ten are left. A quantile is one value and jumps where
// values lie apart; this mean moves with all of them.
std::optional<double> tail_mean(std::vector<std::uint64_t> values);

// Returns the smallest value that at least half of the values do not exceed; 0 for no values.
std::uint64_t lower_median(std::vector<std::uint64_t> values);

// Returns for each turn of that side, in order, which side's turn was before it; nothing for the
// first turn of a visit, since what ran before it belongs to no side of this round. turn_order: as
// in DuetRound. visit_starts: positions in it, ascending. side: 'A' or 'B'.
std::vector<std::optional<char>> sides_before(const std::string& turn_order,
                                              const std::vector<std::size_t>& visit_starts,
                                              char side);

// Whether a call lost its processor and nothing is known of what it would have taken otherwise: the
// time in which its thread ran is no longer than that of calls that nobody looks at, or it was
// stolen. Such a call counts as the round's median, any other preempted one with the time in which
// its thread ran.
bool only_lost_processor(const CallRecord& call);

struct FiguresPlan {
  HistogramRange range;
  std::uint64_t turn_ns = 0;      // planned length of a turn
  unsigned dropped_per_turn = 0;  // recorded calls to leave out at the beginning of each turn
  bool closed_loop = false;       // response times are service times
  std::string turn_order;
  std::vector<std::size_t> visit_starts = {};  // as sides_before takes them
  char side = 'A';
};

// The calls of each load thread, in order of time.
using ThreadCalls = std::vector<std::span<const CallRecord>>;

// Fills the fields that follow from the calls alone: events, dropped, all distributions, the
// trimmed mean, the counts of slow calls by kind, over_100us, over_1ms and their times, the rate
// (rate_missed only from issued calls), carry_over, and `threads` if there are several.
void add_figures(const ThreadCalls& calls, const FiguresPlan& plan, DuetSide& side);

}  // namespace tailgate
