// What a calibration records of each round besides the metrics, so that noise can be explained
// later.
#pragma once

#include <string_view>
#include <vector>

#include "harness/gate/metrics.h"
#include "harness/result/calibration.h"
#include "harness/result/duet.h"

namespace tailgate {

// The facts (kFacts in round_facts.cpp) of every completed round, as metric_series has the rounds;
// a fact that no round has is left out.
std::vector<FactSeries> fact_series(const Duet& duet);

// The fact that numbers the pairs of layouts in memory.
inline constexpr std::string_view kLayoutPairFact = "layout_pair";

// Whether a fact is a coin: 1 where it fell for side A, 0 for B.
bool is_coin(std::string_view fact);

// Whether a fact means something within its duet alone: two duets' pairs of layouts have the same
// numbers.
bool is_of_one_duet(std::string_view fact);

// What the coins decided, as round_coins has it: from the facts of a recorded run.
RoundCoins recorded_coins(const std::vector<FactSeries>& facts);

}  // namespace tailgate
