// What `tailgate gate` does after its command line was read.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "harness/cli/gate_samples.h"
#include "harness/cli/gate_verdicts.h"

namespace tailgate {

struct GateRequest {
  std::vector<std::filesystem::path> paths = {};  // duets, or directories that hold some
  std::vector<MissingDuet> missing = {};          // each gets a verdict, too
  SampleGateRequest samples = {};                 // of another benchmark's files; or empty
  std::filesystem::path policy = {};              // empty: the built-in one
  std::filesystem::path baseline = {};            // of a result that is not in duet; or empty
  std::map<std::string, std::filesystem::path> files = {};  // format -> file to write as well
  std::filesystem::path plots = {};              // folder to draw the verdicts into; or empty
  std::vector<std::string> waived_commits = {};  // Policy::waived_commits
  bool allow_dirty = false;  // judge builds of uncommitted changes, whatever the policy says
  bool nightly = false;      // by the policy's rules for nights
  bool colour = false;
};

// Judges every duet, writes the verdicts to `out` and to the files, and returns the worst one's
// exit code (gate.h). With a baseline, writes how the results differ from it; their verdicts are
// inconclusive, or invalid where they may not be compared. Throws UsageError for paths that hold no
// duet, for no duet at all, for a missing duet with another outcome or beside a baseline, and for a
// policy that does not fit.
int gate(const GateRequest& request, std::ostream& out);

}  // namespace tailgate
