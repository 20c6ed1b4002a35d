#include "harness/cli/growing_file.h"

#include <fmt/format.h>

#include <random>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/cli/commands.h"
#include "harness/cli/terminal.h"
#include "harness/os/atomic_file.h"
#include "harness/os/outside.h"
#include "harness/os/private_folder.h"
#include "harness/trial/scratch.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

fs::path new_fallback_folder() {
  std::random_device random;
  const fs::path folder =
      default_scratch_parent() / fmt::format("tailgate-results-{:08x}", random());
  make_private_folder(folder);
  return folder;
}

}  // namespace

GrowingFile::GrowingFile(fs::path file, bool force) : file_(std::move(file)), replace_(force) {
  std::error_code ignored;
  if (force || !fs::exists(fs::symlink_status(file_, ignored))) return;
  throw UsageError(Error(fmt::format("'{}' exists already, and is not overwritten", file_.string()),
                         "name another place with --out, or replace it with --force"));
}

void GrowingFile::save(const std::string& content) {
  bytes_ = content.size();
  try {
    write_file_atomically(file_, content, replace_ ? Existing::replace : Existing::refuse);
  } catch (const Error& error) {
    tell("{}\n  {}\n", error.what_failed(), error.remedy());
    return save_elsewhere(content);
  }
  replace_ = true;
  if (!in_place()) drop_fallback();
}

void GrowingFile::save_elsewhere(const std::string& content) {
  const bool first = in_place();
  const fs::path place = first ? new_fallback_folder() / file_.filename() : fallback_;
  write_file_atomically(place, content);
  fallback_ = place;
  if (first) tell("  meanwhile the result is in '{}'\n", fallback_.string());
}

void GrowingFile::drop_fallback() {
  std::error_code ignored;
  fs::remove(fallback_, ignored);
  fs::remove(fallback_.parent_path(), ignored);
  fallback_.clear();
  tell("'{}' could be written again\n", file_.string());
}

void prepare_output_folder(const fs::path& folder, const fs::path& scratch) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    throw Error(
        fmt::format("the folder '{}' could not be created: {}", folder.string(), failed.message()),
        "name one with --out that you may write to");
  }
  note_outside(scratch, temporary_file_in(folder));
  check_writable(folder);
}

}  // namespace tailgate
