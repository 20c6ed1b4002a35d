// Effects in words and figures.
#pragma once

#include <string>

#include "harness/result/verdict.h"

namespace tailgate {

// An effect of that metric with its sign: "+12.3 %" of a ratio, "+0.25 per 20k" of a difference.
std::string effect_text(const MetricJudgement& metric, double effect);

// The effect and its interval: "+12.3 % (+10.1 % to +14 %)"; without an interval the effect alone.
std::string effect_with_interval(const MetricJudgement& metric);

}  // namespace tailgate
