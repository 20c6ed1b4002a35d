// Decided without statistics: whether a duet may be judged at all, and what fails it anyway.
#pragma once

#include <vector>

#include "harness/gate/policy.h"
#include "harness/result/duet.h"

namespace tailgate {

// Why the two sides may not be compared, each reason with what to do; empty: they may. Among the
// reasons: measured under Wine, different loads, another build as well as another sink, uncommitted
// changes where the policy forbids them, events unaccounted for, side A did not work, a gated
// metric that one side lacks, side A missed its rate in too many rounds.
std::vector<Remark> reasons_not_to_judge(const Duet& duet, const Policy& policy);

// What makes side B unacceptable whatever its times: it did not run to its end, or lost events,
// where side A did neither.
std::vector<Remark> hard_failures(const Duet& duet);

// Both sides lost so many events that times cannot be compared. Only a larger loss of B decides
// then.
std::vector<Remark> losses_too_large(const Duet& duet);

// Says so where side B missed its rate in more rounds than the policy allows, and the policy does
// not gate that. The verdict can then only be fail or invalid. Empty: B held the rate.
std::vector<Remark> missed_rate_of_b(const Duet& duet, const Policy& policy);

// What a reader of the verdict should know, although it does not forbid one: uncommitted changes,
// events that were not read back, drains that reached the time limit, one side slowing down the
// other.
std::vector<Remark> cautions(const Duet& duet);

}  // namespace tailgate
