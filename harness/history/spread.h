// Of a change of a level: is it this machine, or all?
#pragma once

#include <string>
#include <vector>

#include "harness/history/history.h"

namespace tailgate::history {

// A change of one series, of a group against a reference, between two nights.
struct ChangeOfGroup {
  Series series;
  std::string fingerprint;
  std::string reference;
  std::string last_before;
  std::string first_after;
  double change = 0;  // not 0
};

// How many machines of a group show a change.
struct GroupShare {
  std::string fingerprint;
  std::vector<std::string> with;     // machines that show half of it or more
  std::vector<std::string> without;  // machines that were measured before and after, and do not
};

// The change's own group first, then other groups with the same reference. Machines that were not
// measured on both sides of it are in neither list.
std::vector<GroupShare> spread_of(History& history, const ChangeOfGroup& change);

// "all 12 machines of its group; 0 of 3 in group 5f1e…"; empty without shares.
std::string spread_text(const std::vector<GroupShare>& shares);

}  // namespace tailgate::history
