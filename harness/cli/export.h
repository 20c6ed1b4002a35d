// What `tailgate export FORMAT FILE|DIR...` does: results in the formats of other tools.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace tailgate {

struct ExportRequest {
  std::string format;                        // an exporter's name
  std::vector<std::filesystem::path> paths;  // result files, and directories that hold some
  std::string metric = "response";           // for formats that hold one distribution
  std::optional<unsigned> step = {};         // this step's trials only
  std::filesystem::path directory = {};      // for the files; empty: to `out`, one result only
};

// Writes each result to the directory (made where missing), under the result file's name with the
// format's extension, and prints those paths to `out`; or writes the one result to `out`.
// Throws Error when a result cannot be read, exported or written; UsageError when there is no such
// format or metric, and when there are several results and no directory.
void export_results(const ExportRequest& request, std::ostream& out);

}  // namespace tailgate
