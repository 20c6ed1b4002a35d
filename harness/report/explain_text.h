// Why slow calls were slow, as text for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "harness/result/result.h"

namespace tailgate {

// For each step that has explained trials, at most 80 columns wide: what holds which share of the
// excess time in the slow end of service and response times, who took the most of it by name, the
// worst calls as timelines (`calls` of them, by service time), how the trace was made and what it
// lost, and what it changed. Says so when the result has no explained trial.
std::string explain_text(const Result& result, std::size_t calls);

// The tails of a step's explained trials together: sums over trials; threshold and usual time are
// the median trial's (of an even number, the lower of the middle two).
std::vector<ExplainedTail> merged_tails(const Result& result, unsigned step);

}  // namespace tailgate
