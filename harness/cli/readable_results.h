// Results that a command reads from files and folders.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/report/document.h"

namespace tailgate {

struct ReadableResults {
  Results results;
  std::size_t left_out = 0;  // files that could not be read

  bool all() const { return left_out == 0; }
};

// Loads the results in these files and folders, in this order. A damaged file does not hide the
// others: it is named on standard error and left out. Throws UsageError where a path does not exist
// or a folder holds no result, and Error where no file can be read.
ReadableResults read_results(const std::vector<std::filesystem::path>& paths);

// Loads one result of several: of one that cannot be read it says on standard error why it is left
// out, and returns nothing.
std::optional<NamedResult> load_or_leave_out(const std::filesystem::path& file);

// Loads a result and decodes its distributions. Throws Error for a file that cannot be read or is
// damaged.
Result load_whole_result(const std::filesystem::path& file);

}  // namespace tailgate
