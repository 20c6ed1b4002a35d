// The difference between two sides by parts: pure functions of what each round's sides spent.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/result/difference.h"

namespace tailgate::activity {

// As in DifferencePart.
struct PartName {
  std::string cause;
  std::string name = {};
  std::string module = {};

  friend auto operator<=>(const PartName&, const PartName&) = default;
};

// What one side spent in a round, in nanoseconds for each event.
struct SideTimes {
  double whole_ns = 0;
  std::map<PartName, double> parts_ns = {};  // together no more than the whole
  // Of some parts: who called them, and the share of the part's time that belongs to each.
  std::map<PartName, std::map<std::string, double>> callers = {};
};

struct RoundTimes {
  SideTimes a;
  SideTimes b;
};

inline constexpr std::size_t kMaxDifferenceParts = 20;

// Fills all of a sum but what it is of, and the untraced difference. Parts are compared round by
// round; a side without a part spent no time in it. A single round has no intervals, and none of
// its parts is distinct. At least one round.
DifferenceSum difference_of(std::span<const RoundTimes> rounds,
                            std::size_t max_parts = kMaxDifferenceParts);

}  // namespace tailgate::activity
