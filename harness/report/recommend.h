// Chooses among results what suits a program's logging.
#pragma once

#include <string>
#include <vector>

#include "harness/report/document.h"

namespace tailgate {

// Of several results of one sink at that load the latest counts.
Recommendation recommend(const Results& results, const LoggingNeeds& needs);

// The command that measures the sinks for these needs. payload: empty: the default.
std::string run_to_make(const LoggingNeeds& needs, const std::string& payload,
                        const std::vector<std::string>& sinks);

}  // namespace tailgate
