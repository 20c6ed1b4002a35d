#include "harness/trial/scratch.h"

#include <fmt/format.h>

#include <cstdlib>
#include <random>
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/outside.h"
#include "harness/os/remove_folder.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "tailgate-";
constexpr std::size_t kRandomDigits = 8;
constexpr const char* kLockName = "tailgate.lock";

bool has_our_name(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with(kPrefix) && name.size() == kPrefix.size() + kRandomDigits &&
         name.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string::npos;
}

// Returns whether nothing but the lock's file is left in the folder.
bool emptied(const fs::path& folder) {
  std::error_code failed;
  bool all = true;
  // A loop over a directory_iterator that could not be made ends at once: `failed` tells it from an
  // empty folder.
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().filename() == kLockName) continue;
    all = remove_folder(at->path()) && all;
  }
  return all && !failed;
}

// Removes what a run made outside of its folder, then the folder; the lock last, so that two sweeps
// never remove at once. If something cannot be removed, the lock's file stays, and the next run
// tries again.
void remove_run(const fs::path& folder, FileLock lock) {
  if (!remove_noted(folder) || !emptied(folder)) return;
  lock.remove();
  std::error_code ignored;
  fs::remove(folder, ignored);
}

void sweep_dead_runs(const fs::path& parent) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    const fs::path& folder = entry.path();
    if (!has_our_name(folder) || !made_by_this_user(folder)) continue;
    std::optional<FileLock> lock = FileLock::take(folder / kLockName, false);
    if (lock) remove_run(folder, std::move(*lock));
    // Without a lock file the folder is a kept one, and stays; or its run died, or is, between
    // making it and locking it. Then it is empty, and a run whose folder is removed makes another.
    if (!lock) fs::remove(folder, ignored);
  }
}

// Throws Error unless the folder was made; nothing if the name is in use.
bool make_folder(const fs::path& folder) {
  std::error_code failed;
  if (fs::create_directory(folder, failed)) {
    fs::permissions(folder, fs::perms::owner_all, failed);
    return true;
  }
  if (!failed) return false;
  throw Error(fmt::format("a folder in '{}' could not be created: {}",
                          folder.parent_path().string(), failed.message()),
              "name a writable folder with --scratch");
}

}  // namespace

std::filesystem::path default_scratch_parent() {
  const char* given = std::getenv("TAILGATE_SCRATCH");
  return given != nullptr && *given != '\0' ? given : disk_folder();
}

Scratch::Scratch(std::filesystem::path parent, bool keep) : keep_(keep) {
  if (parent.empty()) parent = default_scratch_parent();
  parent = std::filesystem::absolute(parent);  // daemons that are given it work elsewhere
  std::error_code failed;
  std::filesystem::create_directories(parent, failed);
  sweep_dead_runs(parent);
  std::random_device random;
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && !lock_; ++i) {
    path_ = parent / fmt::format("{}{:0{}x}", kPrefix, random(), kRandomDigits);
    // Another run's sweep may remove the folder before it is locked.
    if (make_folder(path_)) lock_ = FileLock::take(path_ / kLockName, true);
  }
  if (!lock_) {
    throw Error(fmt::format("'{}' could not be locked", (path_ / kLockName).string()),
                "use a scratch folder on a local file system");
  }
}

Scratch::~Scratch() {
  if (keep_) {
    lock_->remove();  // so that a later run does not take the folder for a dead run's
  } else {
    remove_run(path_, std::move(*lock_));
  }
}

}  // namespace tailgate
