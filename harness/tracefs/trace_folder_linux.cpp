#include "harness/tracefs/trace_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "harness/base/error.h"

namespace tailgate::tracefs {
namespace {

constexpr const char* kMountPoint = "/sys/kernel/tracing";
constexpr const char* kBecomeRoot = "run as root (sudo), or use a sink that needs no privilege";

bool is_mounted() {
  struct statfs status;
  return ::statfs(kMountPoint, &status) == 0 && status.f_type == TRACEFS_MAGIC;
}

// Mounts tracefs in no namespace: the mount has no path and ends when its descriptor is closed
// (fsopen(2), fsmount(2); Linux 5.2). If the returned handle is not open, errno says why.
Handle mount_detached() {
  const Handle context(::fsopen("tracefs", FSOPEN_CLOEXEC));
  if (!context.is_open()) return {};
  if (::fsconfig(context.native(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return {};
  return Handle(::fsmount(context.native(), FSMOUNT_CLOEXEC,
                          MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
}

Probe no_mount(int error) {
  if (error == EPERM || error == EACCES) {
    return {false, "tracefs is not mounted, and only root may mount it", kBecomeRoot};
  }
  if (error == ENODEV) {
    return {false, "this kernel has no tracefs",
            "boot a kernel with CONFIG_FTRACE=y and CONFIG_TRACING=y"};
  }
  return {false,
          fmt::format("tracefs is not mounted, and mounting it failed: {}",
                      std::system_category().message(error)),
          fmt::format("mount it: mount -t tracefs nodev {}", kMountPoint)};
}

}  // namespace

void Handle::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

TraceFolder::TraceFolder(Handle handle, std::string name)
    : handle_(std::move(handle)), name_(std::move(name)) {}

TraceFolder TraceFolder::root() {
  Handle root = is_mounted() ? Handle(::open(kMountPoint, O_PATH | O_DIRECTORY | O_CLOEXEC))
                             : mount_detached();
  if (!root.is_open()) {
    const int error = errno;
    throw system_error("mount", "tracefs", error, no_mount(error).remedy);
  }
  return {std::move(root), "tracefs"};
}

TraceFolder TraceFolder::folder(const std::string& path) const {
  return {open(path, O_PATH | O_DIRECTORY), full_name(path)};
}

Handle TraceFolder::open(const std::string& path, int flags) const {
  Handle file(::openat(handle_.native(), path.c_str(), flags | O_CLOEXEC));
  if (!file.is_open()) throw system_error("open", full_name(path), errno, kBecomeRoot);
  return file;
}

std::string TraceFolder::read(const std::string& path) const {
  const Handle file = open(path, O_RDONLY);
  std::string text;
  char part[4096];
  ssize_t bytes;
  while ((bytes = ::read(file.native(), part, sizeof part)) > 0) {
    text.append(part, static_cast<std::size_t>(bytes));
  }
  if (bytes < 0) throw system_error("read", full_name(path), errno, "see the kernel's log");
  return text;
}

void TraceFolder::write(const std::string& path, std::string_view value,
                        const std::string& remedy) const {
  const Handle file = open(path, O_WRONLY);
  if (::write(file.native(), value.data(), value.size()) >= 0) return;
  throw system_error(fmt::format("write '{}'", value), full_name(path), errno, remedy);
}

std::vector<std::string> TraceFolder::folders_in(const std::string& path) const {
  Handle folder = open(path, O_RDONLY | O_DIRECTORY);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(::dup(folder.native())),
                                                    ::closedir);
  if (!listing) throw system_error("fdopendir", full_name(path), errno, "see the kernel's log");
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string name = entry->d_name;
    struct stat status;
    if (name == "." || name == ".." ||
        ::fstatat(folder.native(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (S_ISDIR(status.st_mode)) names.push_back(name);
  }
  return names;
}

bool TraceFolder::has(const std::string& path) const {
  return ::faccessat(handle_.native(), path.c_str(), F_OK, 0) == 0;
}

Probe probe_tracefs() {
  const Handle mounted = is_mounted() ? Handle() : mount_detached();
  if (!is_mounted() && !mounted.is_open()) return no_mount(errno);
  const int root = mounted.is_open() ? mounted.native() : AT_FDCWD;
  const std::string instances =
      mounted.is_open() ? "instances" : fmt::format("{}/instances", kMountPoint);
  if (::faccessat(root, instances.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return {};
  const int error = errno;
  if (error == ENOENT) {
    return {false, "this kernel's tracefs has no instances",
            "boot a kernel of version 3.10 or later with CONFIG_TRACING=y"};
  }
  return {
      false,
      fmt::format("tracefs instances cannot be created: {}", std::system_category().message(error)),
      kBecomeRoot};
}

}  // namespace tailgate::tracefs
