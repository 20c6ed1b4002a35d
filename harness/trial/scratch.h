// The folder for a run's temporary files.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/os/file_lock.h"

namespace tailgate {

// Creates a folder tailgate-<random> in `parent`; the destructor removes it with its content. The
// process holds a lock on a file in it while it lives; a kept folder has no such file afterwards.
// The constructor first removes this user's folders in the same parent whose process has died, and
// what those noted outside of them (see harness/os/outside.h), and nothing else.
class Scratch {
 public:
  // An empty parent means default_scratch_parent(). keep: do not remove the folder. Throws Error.
  Scratch(std::filesystem::path parent, bool keep);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<FileLock> lock_;
  bool keep_;
};

// The operating system's folder for temporary files on disk rather than in memory.
// (scratch_linux.cpp, scratch_windows.cpp)
std::filesystem::path disk_folder();

// Whether this user made the folder, so that no other could have put notes or links into it.
// (scratch_linux.cpp, scratch_windows.cpp: always, since the folder's rights are the user's there)
bool made_by_this_user(const std::filesystem::path& folder);

// The environment variable TAILGATE_SCRATCH if it is set, else disk_folder().
std::filesystem::path default_scratch_parent();

}  // namespace tailgate
