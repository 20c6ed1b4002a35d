#include "harness/cli/duet_extent.h"

#include <fmt/format.h>

#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr unsigned kRounds = 20;

template <class AnyDuet>
unsigned planned_rounds(std::optional<unsigned> wanted, const Policy* policy,
                        const AnyDuet* earlier) {
  const Looks* looks = policy != nullptr ? &policy->looks : nullptr;
  if (earlier == nullptr) {
    return wanted.value_or(looks ? static_cast<unsigned>(looks->rounds.back()) : kRounds);
  }
  const unsigned planned =
      wanted.value_or(looks ? static_cast<unsigned>(looks->last()) : earlier->planned_rounds);
  if (planned > earlier->rounds.size()) return planned;
  throw Error(fmt::format("the duet has {} rounds already", earlier->rounds.size()),
              "say with --rounds how many it shall have in all");
}

}  // namespace

unsigned rounds_to_plan(std::optional<unsigned> wanted, const Policy* policy, const Duet* earlier) {
  return planned_rounds(wanted, policy, earlier);
}

unsigned rounds_to_plan(std::optional<unsigned> wanted, const Policy* policy,
                        const CommandDuet* earlier) {
  return planned_rounds(wanted, policy, earlier);
}

bool DuetTime::is_up(std::size_t rounds) const {
  if (!budget_s_) return false;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  const double round_s = spent.count() / static_cast<double>(rounds - rounds_before_);
  return spent.count() + round_s > *budget_s_;
}

}  // namespace tailgate
