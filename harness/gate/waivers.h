// Which of a policy's waivers may be used on a duet: those whose commit side B's build contains and
// side A's does not. Of a build only its own revision is known here; who knows the history beyond
// it, as ci/gate does by git, names further commits in Policy::waived_commits.
#pragma once

#include <string_view>
#include <vector>

#include "harness/gate/policy.h"
#include "harness/result/duet.h"
#include "harness/result/verdict.h"

namespace tailgate {

// Whether two texts name the same commit: one begins with the other.
bool is_same_commit(std::string_view a, std::string_view b);

// Whether B's build contains the waiver's commit and A's does not, as far as it is known: the
// commit is among `waived_commits`, or it is B's revision and not A's.
bool is_between(const Waiver& waiver, const Duet& duet,
                const std::vector<std::string>& waived_commits);

// The policy without the waivers that do not hold for this duet on `today` (YYYY-MM-DD).
Policy with_valid_waivers(Policy policy, const Duet& duet, std::string_view today);

// What is to be said of the waivers for this duet's scenario and sink that do not hold.
std::vector<Remark> waivers_left_out(const Policy& policy, const Duet& duet,
                                     std::string_view today);

}  // namespace tailgate
