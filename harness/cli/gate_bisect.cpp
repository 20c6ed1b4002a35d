#include "harness/cli/gate_bisect.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace tailgate {
namespace {

// The place closest to the middle of those between the two, which are not known; nothing if none is
// left.
std::optional<std::size_t> next_place(std::size_t begin, std::size_t end,
                                      const std::set<std::size_t>& unknown) {
  std::optional<std::size_t> best;
  const auto off_middle = [&](std::size_t place) {
    const std::size_t twice = 2 * place + 1;
    return std::max(twice, begin + end) - std::min(twice, begin + end);
  };
  for (std::size_t place = begin; place < end; ++place) {
    if (unknown.contains(place)) continue;
    if (!best || off_middle(place) < off_middle(*best)) best = place;
  }
  return best;
}

}  // namespace

Bisection bisect(const std::vector<std::string>& commits,
                 const std::function<CommitOutcome(const std::string& commit)>& judge) {
  std::size_t begin = 0;                 // those before it pass
  std::size_t end = commits.size() - 1;  // this one fails
  std::set<std::size_t> unknown;
  while (const auto place = next_place(begin, end, unknown)) {
    switch (judge(commits[*place])) {
      case CommitOutcome::passed:
        begin = *place + 1;
        break;
      case CommitOutcome::failed:
        end = *place;
        break;
      case CommitOutcome::unknown:
        unknown.insert(*place);
        break;
    }
  }
  Bisection found{commits[end], {}, {}};
  if (begin > 0) found.last_passed = commits[begin - 1];
  for (std::size_t place = begin; place < end; ++place) found.unknown.push_back(commits[place]);
  return found;
}

}  // namespace tailgate
