#include <fmt/format.h>

#include <algorithm>

#include "harness/os/api_windows.h"
#include "harness/os/atomic_file_os.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

std::string remedy_for(DWORD code, const fs::path& path) {
  const std::string folder = path.parent_path().string();
  switch (code) {
    case ERROR_PATH_NOT_FOUND:
    case ERROR_FILE_NOT_FOUND:
    case ERROR_DIRECTORY:
      return fmt::format("create the folder '{}' first", folder);
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
      return fmt::format("choose a folder that you may write to, or change the rights of '{}'",
                         folder);
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return fmt::format("free space on the volume of '{}', or choose another", folder);
    case ERROR_SHARING_VIOLATION:
      return "close the program that has the file open";
    case ERROR_FILENAME_EXCED_RANGE:
    case ERROR_INVALID_NAME:
      return "choose a shorter name, without < > : \" | ? *";
    default:
      return "check the volume, or choose another folder";
  }
}

[[noreturn]] void fail(const char* call, const fs::path& path) {
  const DWORD code = GetLastError();
  throw windows_error(call, path.string(), code, remedy_for(code, path));
}

// A temporary file. The destructor closes it, and removes it unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : target_(target) {
    unsigned n = 0;
    do {
      path_ = temporary_file(target.parent_path(), n++);
      file_ = Handle(CreateFileW(path_.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                                 FILE_ATTRIBUTE_NORMAL, nullptr));
    } while (!file_ && GetLastError() == ERROR_FILE_EXISTS);
    if (!file_) {
      path_.clear();
      fail("CreateFileW", target_);
    }
  }
  ~TemporaryFile() {
    file_.reset();
    if (!path_.empty()) DeleteFileW(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write_all(std::string_view content) {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // a call's count has 32 bits
    while (!content.empty()) {
      DWORD written = 0;
      const auto wanted = static_cast<DWORD>(std::min(content.size(), kMost));
      if (WriteFile(file_.get(), content.data(), wanted, &written, nullptr) == 0) {
        fail("WriteFile", target_);
      }
      content.remove_prefix(written);
    }
  }

  void sync() {
    if (FlushFileBuffers(file_.get()) == 0) fail("FlushFileBuffers", target_);
    file_.reset();
  }

  void rename_to_target(bool replace) {
    // A virus scanner or an indexer may have the old file open for a moment.
    constexpr int kTries = 20;
    for (int i = 1; !move_to_target(replace); ++i) {
      const DWORD code = GetLastError();
      if (code == ERROR_ALREADY_EXISTS || code == ERROR_FILE_EXISTS) {
        throw refused_existing(target_);
      }
      const bool busy = code == ERROR_SHARING_VIOLATION || code == ERROR_ACCESS_DENIED;
      if (!busy || i == kTries) fail("MoveFileExW", target_);
      Sleep(10);
    }
    path_.clear();
  }

 private:
  bool move_to_target(bool replace) const {
    const DWORD flag = replace ? MOVEFILE_REPLACE_EXISTING : 0;
    return MoveFileExW(path_.c_str(), target_.c_str(), flag | MOVEFILE_WRITE_THROUGH) != 0;
  }

  fs::path target_;
  fs::path path_;
  Handle file_;
};

}  // namespace

void write_and_rename(const fs::path& target, std::string_view content, bool replace) {
  TemporaryFile temporary(target);
  temporary.write_all(content);
  temporary.sync();
  temporary.rename_to_target(replace);
}

void write_and_remove(const fs::path& folder, std::string_view content) {
  TemporaryFile temporary(folder / "file");
  temporary.write_all(content);
  temporary.sync();
}

}  // namespace tailgate
