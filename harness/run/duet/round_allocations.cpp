#include "harness/run/duet/round_allocations.h"

#include <algorithm>
#include <utility>

#include "harness/profile/allocations.h"
#include "harness/run/duet/memory_parts.h"

namespace tailgate {
namespace {

std::unique_ptr<profile::StackSampler> follow(const RoundProcesses& side, const Clock& clock) {
  profile::AllocationOptions options{.clock = clock};
  for (const WatchedProcess& process : side.processes) {
    if (process.role == Role::provider) options.processes.push_back(process.pid);
  }
  return profile::follow_allocations(options);
}

}  // namespace

RoundAllocations::RoundAllocations(const Round& round, const Clock& clock)
    : a_(follow(round.processes('A'), clock)), b_(follow(round.processes('B'), clock)) {}

void RoundAllocations::stop() {
  a_->stop();
  b_->stop();
}

void RoundAllocations::add_limit(const std::string& limit) {
  if (limit.empty() || std::find(limits_.begin(), limits_.end(), limit) != limits_.end()) return;
  limits_.push_back(limit);
}

std::optional<activity::SideAmounts> RoundAllocations::side_amounts(
    profile::StackSampler& sampler) {
  const profile::Samples samples = sampler.read();
  add_limit(samples.limits);
  if (samples.lost > 0) {
    add_limit("allocations in some rounds: they came too fast");
    return {};
  }
  return allocation_parts(samples);
}

std::optional<activity::RoundAmounts> RoundAllocations::amounts() {
  std::optional<activity::SideAmounts> a = side_amounts(*a_);
  std::optional<activity::SideAmounts> b = side_amounts(*b_);
  if (!a || !b) return {};
  return activity::RoundAmounts{.a = std::move(*a), .b = std::move(*b)};
}

}  // namespace tailgate
