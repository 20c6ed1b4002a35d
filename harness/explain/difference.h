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

// What one side took in a round, in one unit: of times, nanoseconds for each event.
struct SideAmounts {
  double whole = 0;
  std::map<PartName, double> parts = {};  // together no more than the whole
  // The whole by cause alone, where the parts divide it by samples, which scatter. Empty: the
  // parts' causes.
  std::map<PartName, double> causes = {};
  // Of some parts: who called them, and the share of the part that belongs to each.
  std::map<PartName, std::map<std::string, double>> callers = {};
};

struct RoundAmounts {
  SideAmounts a;
  SideAmounts b;
};

inline constexpr std::size_t kMaxDifferenceParts = 20;

// Fills all of a sum but what it is of, its unit, and the untraced difference. Parts are compared
// round by round; a side without a part has 0 of it. A single round has no intervals, and none of
// its parts is distinct. At least one round.
AmountSum amount_difference_of(std::span<const RoundAmounts> rounds,
                               std::size_t max_parts = kMaxDifferenceParts);

// The same of times, which have causes for the history, too.
DifferenceSum difference_of(std::span<const RoundAmounts> rounds,
                            std::size_t max_parts = kMaxDifferenceParts);

}  // namespace tailgate::activity
