// What logging cost the machine, as a table for a terminal.
#pragma once

#include <string>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// A row for each step and role, at most 80 columns wide, and what must be known to read them: what
// the sampler cost, which counters are missing, by how much other work was slowed down, and from
// which rate on logging takes 5 % of the machine. Empty when the result has no overhead.
std::string overhead_text(const Result& result);

// A result and the line, ended, under which its rows stand.
struct NamedResult {
  std::string name;
  const Result& result;
};

// One table of several results: of each step what logging took, all roles that work for it
// together. Empty when no result has overhead.
std::string logging_text(const std::vector<NamedResult>& results);

}  // namespace tailgate
