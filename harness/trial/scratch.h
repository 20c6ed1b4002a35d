// The folder in which a run keeps what it needs only while it runs.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/base/file_lock.h"

namespace tailgate {

// A new folder, tailgate-<random>, under parent; removed with all its content at the end of the
// scope. A lock on a file in it tells the living from the dead: creating one first removes those
// that dead runs left under the same parent, and nothing else.
class Scratch {
 public:
  // parent empty: default_scratch_parent(). keep: leave the folder and say where it is. Throws
  // Error.
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

// The operating system's folder for temporary files that are kept on disk rather than in memory.
// (scratch_linux.cpp, scratch_windows.cpp)
std::filesystem::path disk_folder();

// That folder, unless the environment variable TAILGATE_SCRATCH names another.
std::filesystem::path default_scratch_parent();

}  // namespace tailgate
