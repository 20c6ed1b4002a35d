// What came out, in sentences: which path was best, how busy the machine was, and what restricts
// the use of the figures.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "harness/report/document.h"
#include "harness/report/painter.h"
#include "harness/report/ranking.h"

namespace tailgate {

// "10k", of a ramp "1k-100k", of a closed loop "max".
std::string load_rate_text(const RankedLoad& load);

// The best path has the lowest 99th percentile, or median, among those that held the rate and whose
// events were all read back. Empty where fewer than two paths had the same load. No path is named
// where trust is `nothing`, or where the paths ran on different machines.
std::string answer_sentence(const RankedLoad& load, Trust trust);

// What one path did under a load: "file at 10k events/s: half of its calls returned within …"
std::string figures_sentence(const RankedPath& path, const RankedLoad& load);

// "nobody looked whether the machine was free before 2 of 9 trials (--noise-s 0)".
std::string unobserved_words(std::size_t unobserved, std::size_t trials);

// Whether a trial found the machine busy.
bool was_busy(const Results& results);

// "Machine: free for the load in all of 9 trials."
std::string machine_sentence(const Results& results);

// What the results' labels say about the use of their figures.
std::set<std::string> labels_of(const Results& results);

// Labels and incomplete runs that restrict the use of the figures, a note each; empty if none do.
std::string restrictions(const Results& results, const Painter& painter);

}  // namespace tailgate
