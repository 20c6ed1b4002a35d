// What `tailgate compare` does after its command line was read.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <vector>

namespace tailgate {

struct CompareRequest {
  std::vector<std::filesystem::path> paths =
      {};  // results, the first is A; two folders; or one duet
  bool json = false;
  bool colour = false;
};

// Writes the comparison to `out`. Returns whether every file could be read; those that could not
// are named on standard error. Throws UsageError for fewer than two results, for folders that share
// no name, and for JSON of a duet, whose file is JSON; Error where no two could be read.
bool compare(const CompareRequest& request, std::ostream& out);

}  // namespace tailgate
