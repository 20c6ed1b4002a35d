// `tailgate history findings` and `tailgate history acknowledge`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/history/findings.h"

namespace tailgate {

// Adds both to `tailgate history`.
void add_history_findings(Command* history, Action& action);

// The findings in 80 columns, one after the other.
std::string history_findings_text(const std::vector<history::Finding>& findings);

}  // namespace tailgate
