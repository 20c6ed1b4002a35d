#include "harness/gate/waivers.h"

#include <fmt/format.h>

#include <algorithm>

namespace tailgate {

bool is_same_commit(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return false;
  return a.starts_with(b) || b.starts_with(a);
}

bool is_between(const Waiver& waiver, const Duet& duet,
                const std::vector<std::string>& waived_commits) {
  const auto is_it = [&](std::string_view commit) { return is_same_commit(waiver.commit, commit); };
  if (std::any_of(waived_commits.begin(), waived_commits.end(), is_it)) return true;
  return is_it(duet.b.build.revision) && !is_it(duet.a.build.revision);
}

Policy with_valid_waivers(Policy policy, const Duet& duet, std::string_view today) {
  std::erase_if(policy.waivers, [&](const Waiver& waiver) {
    return today > waiver.expires || !is_between(waiver, duet, policy.waived_commits);
  });
  return policy;
}

std::vector<Remark> waivers_left_out(const Policy& policy, const Duet& duet,
                                     std::string_view today) {
  std::vector<Remark> remarks;
  for (const Waiver& waiver : policy.waivers) {
    if (!waiver.scope.matches(duet.b)) continue;
    if (today > waiver.expires) {
      remarks.push_back({fmt::format("the waiver of {} for {} expired on {}", waiver.commit,
                                     waiver.metric, waiver.expires),
                         "remove it from the policy, or agree on it anew"});
    } else if (!is_between(waiver, duet, policy.waived_commits)) {
      remarks.push_back(
          {fmt::format("the waiver of {} for {} was not used: nothing says that B's build, of {}, "
                       "contains that commit and A's, of {}, does not",
                       waiver.commit, waiver.metric, duet.b.build.revision, duet.a.build.revision),
           fmt::format("if so, say --waive {}, as ci/gate does by itself; else remove it once both "
                       "contain it",
                       waiver.commit)});
    }
  }
  return remarks;
}

}  // namespace tailgate
