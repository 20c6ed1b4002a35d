// What came out, in sentences: which path was best, what the machine is worth, and what restricts
// the use of the figures.
#pragma once

#include <string>

#include "harness/report/document.h"
#include "harness/report/painter.h"
#include "harness/report/ranking.h"

namespace tailgate {

// "10k", of a ramp "1k-100k", of a closed loop "max".
std::string load_rate_text(const RankedLoad& load);

// The best path has the lowest 99th percentile, or median, among those that held the rate and whose
// events were all read back. Empty where fewer than two paths had the same load.
std::string answer_sentence(const RankedLoad& load, Trust trust);

// Whether a trial found the machine busy.
bool was_busy(const Results& results);

// "Machine: free for the load in all of 9 trials."
std::string machine_sentence(const Results& results, Trust trust);

// What forbids to take the figures for more than they are, a line each; empty if nothing does.
std::string restrictions(const Results& results, const Painter& painter);

}  // namespace tailgate
