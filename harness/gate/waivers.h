// Which of a policy's waivers may be used on a duet: those whose commit is in side B's build and
// not in side A's. A build tells only its own revision. Whoever knows the history, as ci/gate does
// from git, names further such commits in Policy::waived_commits.
#pragma once

#include <string_view>
#include <vector>

#include "harness/gate/policy.h"
#include "harness/result/duet.h"
#include "harness/result/verdict.h"

namespace tailgate {

// Whether two texts name the same commit: one begins with the other.
bool is_same_commit(std::string_view a, std::string_view b);

// Whether B's build is known to contain the waiver's commit and A's not to: the commit is among
// `waived_commits`, or it is B's revision and not A's.
bool is_between(const Waiver& waiver, const Duet& duet,
                const std::vector<std::string>& waived_commits);

// The policy without the waivers that do not hold for this duet on `today` (YYYY-MM-DD).
Policy with_valid_waivers(Policy policy, const Duet& duet, std::string_view today);

// A remark on each waiver for this duet's scenario and sink that does not hold.
std::vector<Remark> waivers_left_out(const Policy& policy, const Duet& duet,
                                     std::string_view today);

}  // namespace tailgate
