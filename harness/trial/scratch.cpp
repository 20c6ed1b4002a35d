#include "harness/trial/scratch.h"

#include <fmt/format.h>

#include <cstdlib>
#include <random>
#include <system_error>

#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr std::string_view kPrefix = "tailgate-";
constexpr const char* kLockName = "tailgate.lock";

// Removes folders that have tailgate's name and lock file, and whose lock nobody holds.
void sweep_dead_runs(const std::filesystem::path& parent) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    const std::filesystem::path& folder = entry.path();
    if (!entry.is_directory(ignored) || entry.is_symlink(ignored) ||
        !folder.filename().string().starts_with(kPrefix)) {
      continue;
    }
    std::optional<FileLock> lock = FileLock::take(folder / kLockName, false);
    if (!lock) continue;
    lock->release();
    std::filesystem::remove_all(folder, ignored);
  }
}

std::filesystem::path new_folder(const std::filesystem::path& parent) {
  std::random_device random;
  std::error_code failed;
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    const std::filesystem::path folder = parent / fmt::format("{}{:08x}", kPrefix, random());
    if (std::filesystem::create_directory(folder, failed)) {
      std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
      return folder;
    }
    if (failed) break;  // otherwise the name is in use
  }
  throw Error(
      fmt::format("a folder in '{}' could not be created: {}", parent.string(), failed.message()),
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
  path_ = new_folder(parent);
  lock_ = FileLock::take(path_ / kLockName, true);
  if (!lock_) {
    throw Error(fmt::format("'{}' could not be locked", (path_ / kLockName).string()),
                "use a scratch folder on a local file system");
  }
}

Scratch::~Scratch() {
  lock_->release();
  std::error_code ignored;
  // Without the lock's file a later run does not take a kept folder for a dead run's.
  std::filesystem::remove(path_ / kLockName, ignored);
  if (!keep_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace tailgate
