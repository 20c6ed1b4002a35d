// The parts of a verdict's text that other texts have too.
#pragma once

#include <string>

#include "harness/report/painter.h"
#include "harness/result/verdict.h"

namespace tailgate {

// A row for each metric under a head of columns, the gated ones first; 80 columns wide.
std::string metrics_table(const Verdict& verdict, const Painter& painter);

}  // namespace tailgate
