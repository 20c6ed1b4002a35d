// The history's documents, series and values as tables in 80 columns.
#pragma once

#include <string>
#include <vector>

#include "harness/history/history.h"
#include "harness/history/machine_events.h"

namespace tailgate {

std::string history_documents_text(const std::vector<history::Record>& documents);
std::string history_events_text(const std::vector<history::MachineEvent>& events);
std::string history_metrics_text(const std::vector<history::Series>& series);
std::string history_answers_text(const std::string& metric,
                                 const std::vector<history::Answer>& answers);

}  // namespace tailgate
