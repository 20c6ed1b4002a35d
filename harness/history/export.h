// A history's values for other tools.
#pragma once

#include <string>

#include "harness/history/history.h"

namespace tailgate::history {

// Comma-separated values: a row for each value, with what it belongs to. The columns from count on
// are of distributions.
std::string to_csv(History& history, const Question& question);

// OpenMetrics 1.0 text (github.com/OpenObservability/OpenMetrics), for Prometheus to take in with
// 'promtool tsdb create-blocks-from openmetrics'. One value for each night and machine, at the time
// at which the night began there: Merge::nothing counts as Merge::night. Distributions are
// summaries; durations are in seconds, as OpenMetrics asks.
std::string to_openmetrics(History& history, const Question& question);

}  // namespace tailgate::history
