// `tailgate gate BASE HEAD --bisect`: which commit of a range made the gate fail.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tailgate {

// What a gate of the base and one commit of the range came to.
enum class CommitOutcome { passed, failed, unknown };

struct Bisection {
  std::string first_failed;  // the first commit that is known to fail
  std::optional<std::string>
      last_passed;                   // the last before it that is known to pass; none: the base
  std::vector<std::string> unknown;  // between the two, which could not be judged
};

// Halves the range until nothing between is left that can be judged, with one gate each time.
// commits: oldest first; the last one is known to fail, and what was before the first to pass.
// judge is called at most once for each other commit.
Bisection bisect(const std::vector<std::string>& commits,
                 const std::function<CommitOutcome(const std::string& commit)>& judge);

}  // namespace tailgate
