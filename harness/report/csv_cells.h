// Comma-separated values (RFC 4180, but lines end in a line feed): what the CSV exporters share.
// The cell of a value that was not measured is empty.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

using Cells = std::vector<std::string>;

// The cells as a line, with the line feed.
std::string csv_line(const Cells& cells);

// The columns that every row begins with: scenario, sink, step, trial, rate.
Cells leading_titles();
Cells leading_cells(const Result& result, const Trial& trial);

// The columns of one distribution. latency: nullptr where it was not measured.
void add_titles(Cells& cells, std::string_view metric);
void add_figures(Cells& cells, const Latency* latency);

}  // namespace tailgate
