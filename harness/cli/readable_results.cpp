#include "harness/cli/readable_results.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/cli/commands.h"
#include "harness/cli/terminal.h"
#include "harness/result/distributions.h"
#include "harness/result/files.h"

namespace tailgate {

Result load_whole_result(const std::filesystem::path& file) {
  Result result = load_result(file);
  try {
    check_distributions(result);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file.string(), error.what_failed()), error.remedy());
  }
  return result;
}

std::optional<NamedResult> load_or_leave_out(const std::filesystem::path& file) {
  try {
    return NamedResult{file.string(), load_whole_result(file)};
  } catch (const Error& error) {
    tell_lines(fmt::format("left out: {}\n  {}\n", error.what_failed(), error.remedy()));
    return std::nullopt;
  }
}

ReadableResults read_results(const std::vector<std::filesystem::path>& paths) {
  const std::vector<std::filesystem::path> files =
      as_usage([&] { return find_result_files(paths); });
  ReadableResults read;
  if (files.size() == 1) {
    read.results.push_back({files.front().string(), load_whole_result(files.front())});
    return read;
  }
  for (const std::filesystem::path& file : files) {
    if (std::optional<NamedResult> named = load_or_leave_out(file)) {
      read.results.push_back(*std::move(named));
    } else {
      ++read.left_out;
    }
  }
  if (read.results.empty() && !read.all()) {
    throw Error("no result could be read", "copy the files again, or repeat the runs");
  }
  return read;
}

}  // namespace tailgate
