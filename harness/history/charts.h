// The nights' charts: of every night's duets with one reference, the effects, metric by metric. A
// change of a level becomes a finding (findings.h).
//
// A chart is of a series, a group of equal machines and a reference, so a new reference begins new
// charts. A night costs a chart the same however many came before it (harness/stats/night_chart.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/history/history.h"
#include "harness/stats/night_chart.h"

namespace tailgate::history {

// Whether the effect on this metric is charted: quantiles and means of the latency, overhead by
// role, and the time by cause (parts.h). Maxima, times as they were before preempted calls were
// taken out, and counts, whose effects are differences, are not.
bool is_charted_metric(std::string_view metric);

// By which rules. Effects on parts are shares of a whole, so a smaller change counts; and since
// there are many of them, it has to be more certain.
ChartSettings chart_settings(std::string_view metric);

// Charts the duets that were appended since the last time; a night that comes late makes its charts
// anew. Of a night with several duets it is the median. All of it or nothing, and any number of
// programs may do so. Returns the findings that this made.
std::vector<std::int64_t> update_charts(History& history);

}  // namespace tailgate::history
