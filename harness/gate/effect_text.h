// Effects in words and figures.
#pragma once

#include <string>

#include "harness/result/verdict.h"

namespace tailgate {

// An effect in a table: "+12.3%", "+250%" or, from ten times as much, "x28.5" of a ratio, "+0.25"
// of a difference. At most 7 characters, 9 where a difference is 1e5 or more.
std::string effect_cell(const MetricJudgement& metric, double effect);

// The same in a sentence: "+12.3 %", "+0.25 per 20k".
std::string effect_text(const MetricJudgement& metric, double effect);

// The effect and its interval: "+12.3 % (+10.1 % to +14.0 %)"; without an interval the effect
// alone.
std::string effect_with_interval(const MetricJudgement& metric);

}  // namespace tailgate
