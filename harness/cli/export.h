// What `tailgate export FORMAT FILE|DIR...` does: results and duets in other formats.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

struct ExportRequest {
  std::string format;                        // an exporter's
  std::vector<std::filesystem::path> paths;  // files of runs and duets, and directories of runs
  std::string metric = "response";           // for formats that hold one distribution
  std::optional<unsigned> step = {};         // this step's trials only
  std::filesystem::path directory = {};      // for the files; empty: to `out`
};

// Writes each file's export to the directory (made where missing), under the file's name with the
// format's extension, and prints those paths to `out`; or writes one export of all files to `out`.
// Of several results, those that cannot be read are named on standard error and left out: returns
// whether there were none. Throws Error when the only file cannot be read, or one cannot be
// exported or written; UsageError when there is no such format or metric, and when there are
// several files, no directory, and a format that holds one.
bool export_files(const ExportRequest& request, std::ostream& out);

// The result with the trials and the summary of one step only. Throws Error with the steps that
// there are when it has no such step.
Result select_step(const Result& result, unsigned step);

}  // namespace tailgate
