// What `tailgate show FILE|DIR...` does: results as a table.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace tailgate {

struct ShowRequest {
  std::vector<std::filesystem::path> paths;  // result files, directories that hold some, duets
  bool trials = false;                       // rows for each trial, or for each round of a duet
  bool roles = false;                        // the overhead of every role
  bool details = false;                      // everything, in place of the answer on one screen
  std::string sort = {};                     // ranking_columns(), or empty; not for duets
  bool json = false;                         // the same figures as JSON; not for duets
  bool colour = false;
};

// Returns whether every file could be read; those that could not are named on standard error.
// Throws Error before anything is written when none could be read, UsageError when a path does not
// exist.
bool show(const ShowRequest& request, std::ostream& out);

}  // namespace tailgate
