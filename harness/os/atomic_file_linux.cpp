#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "harness/base/error.h"
#include "harness/os/atomic_file_os.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

std::string remedy_for(int error_number, const fs::path& path) {
  const std::string folder = path.parent_path().string();
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return fmt::format("create the folder '{}' first", folder);
    case EACCES:
    case EPERM:
    case EROFS:
      return fmt::format("choose a folder that you may write to, or change the rights of '{}'",
                         folder);
    case ENOSPC:
    case EDQUOT:
      return fmt::format("free space on the file system of '{}', or choose another", folder);
    case ENAMETOOLONG:
      return "choose a shorter name";
    default:
      return "check the file system, or choose another folder";
  }
}

[[noreturn]] void fail(const char* call, const fs::path& path, int error_number) {
  throw system_error(call, path.string(), error_number, remedy_for(error_number, path));
}

// A temporary file. The destructor closes it, and removes it unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : target_(target) {
    unsigned n = 0;
    do {
      path_ = temporary_file(target.parent_path(), n++);
      file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (file_ < 0 && (errno == EEXIST || errno == EINTR));
    if (file_ < 0) fail("create", target_, errno);
  }
  ~TemporaryFile() {
    if (file_ >= 0) close(file_);
    if (!path_.empty()) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Takes over the rights of the file that is replaced. Before the content is written: they may be
  // narrower.
  void keep_rights() {
    struct stat replaced {};
    if (lstat(target_.c_str(), &replaced) != 0) return;
    if (fchmod(file_, replaced.st_mode & 0777) != 0) fail("fchmod", target_, errno);
  }

  void write_all(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = write(file_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("write", target_, errno);
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void sync() {
    if (fsync(file_) != 0) fail("fsync", target_, errno);
    if (close(std::exchange(file_, -1)) != 0) fail("close", target_, errno);
  }

  void rename_to_target(bool replace) {
    if (!replace) return link_to_target();
    if (rename(path_.c_str(), target_.c_str()) != 0) fail("rename to", target_, errno);
    path_.clear();
  }

 private:
  // link(2) fails where the name is in use. File systems without links know renameat2(2)'s flag.
  void link_to_target() {
    if (link(path_.c_str(), target_.c_str()) == 0) return;
    if (errno == EEXIST) throw refused_existing(target_);
    if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0) {
      path_.clear();
      return;
    }
    if (errno == EEXIST) throw refused_existing(target_);
    fail("rename to", target_, errno);
  }

  fs::path target_;
  fs::path path_;
  int file_ = -1;
};

// Syncs the folder, so that the rename survives a power failure. Some file systems cannot sync a
// folder (EINVAL); nothing more can be done there.
void sync_folder_of(const fs::path& path) {
  const int folder = open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // a folder may be writable but not readable
  const int failed = fsync(folder) != 0 && errno != EINVAL ? errno : 0;
  close(folder);
  if (failed != 0) fail("fsync of the folder of", path, failed);
}

}  // namespace

void write_and_rename(const fs::path& target, std::string_view content, bool replace) {
  TemporaryFile temporary(target);
  temporary.keep_rights();
  temporary.write_all(content);
  temporary.sync();
  temporary.rename_to_target(replace);
  sync_folder_of(target);
}

void write_and_remove(const fs::path& folder, std::string_view content) {
  TemporaryFile temporary(folder / "file");
  temporary.write_all(content);
  temporary.sync();
}

}  // namespace tailgate
