// Searches for the place up to which a path holds what is asked of it: a rate, a size. Pure: it
// gets what the trials at each place showed, and returns where to look next.
//
// First single trials find the place roughly: from the start in growing strides until the outcome
// changes, then by halves. Then several trials at a place confirm it. Where all of them hold, it
// holds: if a trial there held with a probability of 1/2 or less, all of n would with 2^-n or less.
// Likewise where none holds. Between these two ends of the interval places may remain where some
// hold and some do not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tailgate {

struct SearchPlan {
  std::int64_t start = 0;
  std::int64_t least = 0;  // both are places that may be looked at
  std::int64_t most = 0;
  std::int64_t stride = 1;  // the first one from the start
  unsigned confirm = 5;     // trials that confirm a place; 2 or more
};

// What trials at a place showed: a single one, or as many as confirm it.
struct Looked {
  std::int64_t place = 0;
  unsigned trials = 0;
  unsigned held = 0;
};

struct NextLook {
  std::int64_t place = 0;
  unsigned trials = 1;
};

// Where to look next; nothing when the interval is as short as it can be.
std::optional<NextLook> next_look(const SearchPlan& plan, std::span<const Looked> looked);

// The confirmed interval of the last place that holds.
struct FoundPlace {
  std::optional<std::int64_t> holds;   // all trials held; nothing: at no place
  std::optional<std::int64_t> misses;  // none did, and none did at a lower one that was confirmed
  std::optional<std::int64_t> best;    // the highest below `misses` where more than half held
};

FoundPlace found_place(const SearchPlan& plan, std::span<const Looked> looked);

}  // namespace tailgate
