// Comma-separated values (RFC 4180, but lines end in a line feed): what the CSV exporters share.
// The cell of a value that was not measured, or that means nothing for the trial, is empty: such as
// the target rate of a closed loop.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

using Cells = std::vector<std::string>;

// The cells as a line, with the line feed.
std::string csv_line(const Cells& cells);

// Whether the trial's calls followed each other without a schedule, so that it has no target rate
// and no schedule lag.
bool is_closed_loop(const Trial& trial);

// The columns that every row begins with: the run and where it was measured, scenario and sink with
// their options ("mode=mmap;size=4"), step, trial and load.
Cells leading_titles();
Cells leading_cells(const Result& result, const Trial& trial);

// The columns of one distribution. latency: nullptr where it was not measured.
void add_titles(Cells& cells, std::string_view metric);
void add_figures(Cells& cells, const Latency* latency);

}  // namespace tailgate
