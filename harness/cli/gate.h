// What `tailgate gate` and `tailgate compare` do once their command line has been read.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "harness/gate/policy.h"

namespace tailgate {

// A duet that was planned and left no file.
struct MissingDuet {
  std::string outcome;   // inconclusive or invalid: a duet that nobody saw has no other
  std::string scenario;  // or its preset
  std::string sink;      // with its options
  std::string why;
};

struct GateRequest {
  std::vector<std::filesystem::path> paths = {};  // duets, or directories that hold some
  std::vector<MissingDuet> missing = {};          // they get a verdict, too
  std::filesystem::path policy = {};              // empty: the built-in one
  std::filesystem::path baseline = {};            // of a result that is not in duet; or empty
  std::map<std::string, std::filesystem::path> files = {};  // format -> file to write as well
  std::filesystem::path plots = {};              // folder to draw the verdicts into; or empty
  std::vector<std::string> waived_commits = {};  // Policy::waived_commits
  bool allow_dirty = false;  // judge builds of uncommitted changes, whatever the policy says
  bool colour = false;
};

// Of the option --waive, which takes Policy::waived_commits.
inline constexpr const char* kWaiveHelp = "B has this commit and A has not: use its waivers";

// Judges every duet, writes the verdicts to `out` and to the files, and returns the worst one's
// exit code (gate.h). With a baseline, tells the results' difference from it and why there is no
// verdict: inconclusive, or invalid where they may not be compared. Throws UsageError for paths
// that hold no duet, for no duet at all, for another outcome of a missing one, and for a policy
// that does not fit.
int gate(const GateRequest& request, std::ostream& out);

struct CompareRequest {
  std::vector<std::filesystem::path> paths = {};  // results, the first is A; or one duet
  bool colour = false;
};

// Writes the comparison to `out`. Throws UsageError for fewer than two results.
void compare(const CompareRequest& request, std::ostream& out);

// The policy in that file, or the built-in one where the path is empty; allow_dirty: but that
// builds of uncommitted changes are judged, too. Throws UsageError.
Policy policy_at(const std::filesystem::path& file, bool allow_dirty);

}  // namespace tailgate
