// Results as text for a terminal: one table, at most 80 columns wide, and what a reader must know.
#pragma once

#include <string>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

struct TextOptions {
  bool colour = false;  // ANSI colours; whether the output is a terminal is the caller's to know
  bool trials = false;  // a group of rows for each trial below its step's
  bool roles = false;   // overhead of every role; without it, of several results only logging's
};

// A table with a group of rows for each step of each result (response, service and, where it was
// measured, delivery), a table of what logging took, then for each result its floor, its
// restriction on use, its failed trials and its remarks with their remedies. "lost" and "unacc."
// are summed over all trials of the step; "unacc." is "-" where no trial's events were read back.
std::string render_text(const std::vector<Result>& results, const TextOptions& options);

// The same figures as a JSON list with one object a result, the encoded distributions left out.
// names: where each result came from, as many as there are results.
std::string render_summary_json(const std::vector<Result>& results,
                                const std::vector<std::string>& names);

}  // namespace tailgate
