// The history's documents, series and values as tables in 80 columns.
#pragma once

#include <string>
#include <vector>

#include "harness/history/history.h"

namespace tailgate {

std::string history_documents_text(const std::vector<history::Record>& documents);
// Where a machine was not what it had been for the document before: a new kernel, a new compiler.
std::string history_changes_text(const std::vector<history::Record>& documents);
std::string history_metrics_text(const std::vector<history::Series>& series);
std::string history_answers_text(const std::string& metric,
                                 const std::vector<history::Answer>& answers);

}  // namespace tailgate
