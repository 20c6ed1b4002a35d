// What a chart remembers (harness/stats/night_chart.h), as the history keeps it.
#pragma once

#include <optional>

#include "harness/history/database.h"
#include "harness/stats/night_chart.h"

namespace tailgate::history {

Bytes encode_chart(const ChartState& state);

// Nothing where the bytes are not of this version, or damaged: the chart is then made again of its
// nights. Accepts any bytes.
std::optional<ChartState> decode_chart(const Bytes& bytes);

}  // namespace tailgate::history
