// Whether two results, measured one after the other, may be compared at all.
#pragma once

#include <optional>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// Whether two loads are the same in all but how long they last, and the seed.
bool is_same_load(const Load& a, const Load& b);

// What keeps two results from being compared.
struct Incomparable {
  std::optional<unsigned> step;  // only this step's figures; none: no figure may be compared
  Remark reason;                 // of a step: begins with "step N (RATE): "
};

// The reasons why b must not be compared with a, each with a remedy; empty when it may. Reasons
// are: different machines or loads, a restricted use (Wine), trials with events unaccounted for or
// lost, a missed rate, slow calls explained in only one of the two.
std::vector<Incomparable> why_incomparable(const Result& a, const Result& b);

// One paragraph of text for users: why a comparison of results that were not measured in duet gives
// no verdict.
const char* why_duet();

}  // namespace tailgate
