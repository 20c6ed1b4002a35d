// The sampled functions of a step's traced trials, merged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// The sums over the trials, without marks; nothing if no trial of the step has a profile. Texts
// that differ stand beside each other.
std::optional<Profile> merged_profile(const Result& result, unsigned step);

// One role's profile of a step, for a format that shows stacks.
struct NamedRole {
  std::string name;  // the role, with the step's number where the result has several steps
  RoleProfile role;
};

// All roles of all steps. Their functions are places in `functions`, which this fills.
std::vector<NamedRole> profiled_roles(const Result& result,
                                      std::vector<ProfiledFunction>& functions);

}  // namespace tailgate
