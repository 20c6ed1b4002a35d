// A duet as text for a terminal: one table, at most 80 columns wide. It shows differences and how
// well they are known; whether one matters is the gate's to say.
#pragma once

#include <string>

#include "harness/report/text.h"
#include "harness/result/duet.h"

namespace tailgate {

// For each metric the median over rounds of both sides, the median of B against A within rounds,
// and its 95 % interval (quantile_interval of harness/stats). Only rounds that both sides completed
// count. TextOptions::trials: a line for each round, too.
std::string render_duet(const Duet& duet, const TextOptions& options);

}  // namespace tailgate
