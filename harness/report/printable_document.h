// Documents whose texts cannot control a terminal.
#pragma once

#include "harness/report/document.h"

namespace tailgate {

// Makes every text of the document printable (harness/base/quoting.h), file names too.
void make_printable(Results& results);
void make_printable(Comparison& comparison);
void make_printable(Duet& duet);
void make_printable(Verdicts& verdicts);
void make_printable(CalibrationReport& report);
void make_printable(BudgetVerdicts& verdicts);
void make_printable(Recommendation& recommendation);
void make_printable(ClaimVerdicts& verdicts);

}  // namespace tailgate
