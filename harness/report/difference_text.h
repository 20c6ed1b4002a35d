// Why the sides of a duet differ, in lines for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/result/difference.h"

namespace tailgate {

struct DifferenceLine {
  unsigned level = 0;  // 1: a part of what the last line of level 0 says
  std::string text;
};

// Losses that differ and their causes; then for each time that differs the whole and its parts,
// largest difference first, and what the trace adds to it; what could not be seen; in one line if
// nothing differs. Texts of others are as they
// are in the difference.
std::vector<DifferenceLine> difference_lines(const Difference& difference);

// The same for a terminal, in at most kColumns.
std::string difference_text(const Difference& difference);

// A function's name without namespaces, parameters and template arguments: "Logger::write()". What
// is in brackets stays as it is.
std::string brief_function(std::string_view name);

}  // namespace tailgate
