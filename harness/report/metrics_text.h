// A duet's metrics as a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/painter.h"
#include "harness/result/verdict.h"

namespace tailgate {

// A metric's value with its unit, in at most eight characters: "2.012us", "8.12MB", "0.25".
std::string metric_value_text(const MetricJudgement& metric, double value);

// The text in the colour of a decision or an outcome: what is good green, what is bad red.
std::string painted_decision(const std::string& text, std::string_view decision,
                             const Painter& painter);

// One row a metric, the gated ones first, in at most 80 columns. Where none is gated there are no
// columns for margin and verdict, and no rows for what was not measured.
std::string metrics_table(const std::vector<MetricJudgement>& metrics, const Painter& painter);

}  // namespace tailgate
