#include "harness/overhead/sampler.h"

#include <string_view>

#include "harness/overhead/counters.h"

namespace tailgate {
namespace {

constexpr std::array<std::string_view, kRoles> kRoleNames = {
    "provider", "daemons", "consumer", "controller", "kernel", "rest", "machine"};

// Subtracts all roles from the machine's counters. A role without a process used nothing. If a role
// does not report a counter, its use would appear in the rest, so the rest omits that counter.
Counters rest_of(const std::array<RoleUse, kRoles>& uses) {
  Counters rest = uses[static_cast<std::size_t>(Role::machine)].counters;
  for (const CounterField field : kLevels) rest.*field = {};
  for (std::size_t i = 0; i < static_cast<std::size_t>(Role::rest); ++i) {
    if (uses[i].processes > 0) rest = difference(rest, uses[i].counters);
  }
  return rest;
}

}  // namespace

std::vector<RoleUse> uses_between(const Sample& before, const Sample& after) {
  std::array<RoleUse, kRoles> uses;
  for (std::size_t i = 0; i < kRoles; ++i) {
    uses[i] = {.role = std::string(kRoleNames[i]),
               .processes = after.roles[i].processes,
               .ended = after.roles[i].ended,
               .counters = difference(after.roles[i].counters, before.roles[i].counters)};
  }
  uses[static_cast<std::size_t>(Role::rest)].counters = rest_of(uses);
  return {uses.begin(), uses.end()};
}

std::vector<RoleUse> uses_together(const std::vector<RoleUse>& a, const std::vector<RoleUse>& b) {
  if (a.size() != b.size()) return {};
  std::vector<RoleUse> both = b;
  for (std::size_t i = 0; i < both.size(); ++i) {
    both[i].counters = sum(a[i].counters, b[i].counters);
    for (const CounterField field : kLevels) both[i].counters.*field = b[i].counters.*field;
  }
  return both;
}

const Counters& counters_of(const std::vector<RoleUse>& uses, Role role) {
  static const Counters none;
  for (const RoleUse& use : uses) {
    if (use.role == kRoleNames[static_cast<std::size_t>(role)]) return use.counters;
  }
  return none;
}

}  // namespace tailgate
