// Sentences about claims, which their exporters share.
#pragma once

#include <string>

#include "harness/report/claim_verdicts.h"

namespace tailgate {

// What this machine shows: "service p50 84ns (80ns .. 90ns); 5 trials of steady@lttng@10k". Of a
// claim that cannot be told the reason comes first.
std::string claim_shown_text(const ClaimVerdict& verdict);

// "3 hold, 1 does not hold, 12 cannot be told here".
std::string claim_counts_text(const ClaimVerdicts& verdicts);

}  // namespace tailgate
