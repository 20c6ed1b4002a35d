// `tailgate gate BASE HEAD`: builds two revisions of a project, runs them in duet, and judges.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "harness/run/catalog.h"

namespace tailgate {

struct RevisionGateRequest {
  std::string base = {};
  std::string head = {};
  std::filesystem::path policy = {};   // empty: the project's
  std::filesystem::path out = {};      // empty: .tailgate/gate-DATE-TIME in the project
  bool nightly = false;                // with the runs and the rules that are for nights
  bool repin = false;                  // keep what moving the reference from base to head changes
  std::optional<double> minutes = {};  // leave out the duets that do not fit into this time
  std::map<std::string, std::filesystem::path> files = {};  // format -> file to write as well
  bool bisect = false;              // after a fail, find the commit of the range that made it
  std::set<std::string> only = {};  // the duets with these file names; empty: all
};

// Whether two words of the command line name revisions: neither is a file or a folder.
bool name_revisions(const std::vector<std::filesystem::path>& words);

// Gates the project that this process's folder lies in (harness/project). Prints each duet's
// verdict and all of them at the end, writes report, JUnit and plots into the folder `out`, and
// returns the worst verdict's exit code, or kExitInterrupted. A folder that has duets of the same
// commits and rules is completed: what is decided stays, and duets that are not get more rounds, as
// long as the policy has looks for them. With `bisect`, a fail is followed
// by gates of the duets that failed, of commits between, in folders below `out`. Throws UsageError
// for what the user or the project's file names wrongly, and Error where a revision cannot be
// built.
int gate_revisions(const Catalog& catalog, const RevisionGateRequest& request);

}  // namespace tailgate
