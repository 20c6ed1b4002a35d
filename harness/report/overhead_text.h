// What logging cost the machine, as a table for a terminal.
#pragma once

#include <string>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// A row for each step and role, at most 80 columns wide. Below the rows: what the sampler cost,
// which counters are missing, by how much other work was slowed down, and from which rate on
// logging takes 5 % of the machine. Empty when the result has no overhead.
std::string overhead_text(const Result& result);

// A result and the title above its rows, with the line feed.
struct TitledResult {
  std::string title;
  const Result& result;
};

// One table for several results: for each step the cost of logging, which is the sum over all roles
// that work for it. Empty when no result has overhead.
std::string logging_text(const std::vector<TitledResult>& results);

}  // namespace tailgate
