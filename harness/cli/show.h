// What `tailgate show FILE|DIR...` does: results as a table.
#pragma once

#include <filesystem>
#include <ostream>
#include <vector>

namespace tailgate {

struct ShowRequest {
  std::vector<std::filesystem::path> paths;  // result files, and directories that hold some
  bool trials = false;                       // rows for each trial
  bool roles = false;                        // the overhead of every role
  bool json = false;                         // the same figures as JSON
  bool colour = false;
};

// Throws Error when a result cannot be read; nothing has been written then.
void show(const ShowRequest& request, std::ostream& out);

}  // namespace tailgate
