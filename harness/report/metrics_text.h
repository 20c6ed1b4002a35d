// A duet's metrics as a table.
#pragma once

#include <string>
#include <vector>

#include "harness/report/painter.h"
#include "harness/result/verdict.h"

namespace tailgate {

// A metric's value with its unit, in at most eight characters: "2.012us", "8.12MB", "0.25".
std::string metric_value_text(const MetricJudgement& metric, double value);

// A row for each metric that was measured, gated metrics first, in at most 80 columns, and what the
// columns mean. When no metric is gated, the table has no columns for margin and verdict.
std::string metrics_table(const std::vector<MetricJudgement>& metrics, const Painter& painter);

}  // namespace tailgate
