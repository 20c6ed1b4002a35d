// Whether a duet may be judged at all, and what no statistics are needed for.
#pragma once

#include <vector>

#include "harness/gate/policy.h"
#include "harness/result/duet.h"

namespace tailgate {

// Why the two sides may not be compared, each with what to do; empty: they may. Among the reasons:
// measured under Wine, another load on each side, more than one thing changed between the sides,
// uncommitted changes where the policy forbids them, events unaccounted for, side A did not work,
// both sides lost events, side A missed its rate in too many rounds.
std::vector<Remark> reasons_against(const Duet& duet, const Policy& policy);

// What makes side B unacceptable whatever its times: it did not run to its end, or lost events,
// where side A did neither.
std::vector<Remark> hard_failures(const Duet& duet);

// The rate that side B alone missed in more rounds than the policy allows: no verdict but fail is
// possible then. Empty: it held the rate.
std::vector<Remark> missed_rate_of_b(const Duet& duet, const Policy& policy);

// What does not forbid a verdict, but a reader should know: uncommitted changes, events that were
// not read back, barriers that were given up, what one side left for the other to bear.
std::vector<Remark> cautions(const Duet& duet);

}  // namespace tailgate
