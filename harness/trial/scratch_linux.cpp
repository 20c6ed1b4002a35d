#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "harness/base/error.h"
#include "harness/trial/scratch.h"

namespace tailgate {
namespace {

constexpr std::string_view kPrefix = "tailgate-";
constexpr const char* kLockName = "tailgate.lock";

// The descriptor when the lock was free, else -1.
int take_lock(const std::filesystem::path& file, int flags) {
  const int lock = open(file.c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
    close(lock);
    return -1;
  }
  return lock;
}

// Only folders with our name and our lock file in them, whose lock nobody holds.
void sweep_dead_runs(const std::filesystem::path& parent) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    const std::filesystem::path& folder = entry.path();
    if (!entry.is_directory(ignored) || entry.is_symlink(ignored) ||
        !folder.filename().string().starts_with(kPrefix)) {
      continue;
    }
    const int lock = take_lock(folder / kLockName, 0);
    if (lock < 0) continue;
    std::filesystem::remove_all(folder, ignored);
    close(lock);
  }
}

}  // namespace

std::filesystem::path default_scratch_parent() {
  const char* given = std::getenv("TAILGATE_SCRATCH");
  return given != nullptr && *given != '\0' ? given : "/var/tmp";
}

Scratch::Scratch(std::filesystem::path parent, bool keep) : keep_(keep) {
  if (parent.empty()) parent = default_scratch_parent();
  std::error_code failed;
  std::filesystem::create_directories(parent, failed);
  sweep_dead_runs(parent);
  std::string pattern = (parent / (std::string(kPrefix) + "XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw system_error("mkdtemp", pattern, errno,
                       "name a folder that you can write to with --scratch");
  }
  path_ = pattern;
  lock_ = take_lock(path_ / kLockName, O_CREAT);
  if (lock_ < 0) {
    throw system_error("flock", (path_ / kLockName).string(), errno,
                       "use a scratch folder on a local file system");
  }
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!keep_) std::filesystem::remove_all(path_, ignored);
  close(static_cast<int>(lock_));
}

}  // namespace tailgate
