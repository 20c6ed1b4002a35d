#include "harness/os/namespaces_linux.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "harness/base/error.h"

namespace tailgate {
namespace {

// Opens a namespace of that process. Returns -1 if this process is in it already.
int open_other(int pid, const char* kind) {
  const std::string theirs = fmt::format("/proc/{}/ns/{}", pid, kind);
  struct stat ours_status;
  struct stat theirs_status;
  const int file = open(theirs.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &theirs_status) != 0) {
    throw system_error("open", theirs, errno, "check whether the session's process still runs");
  }
  if (stat(fmt::format("/proc/self/ns/{}", kind).c_str(), &ours_status) == 0 &&
      ours_status.st_ino == theirs_status.st_ino) {
    close(file);
    return -1;
  }
  return file;
}

}  // namespace

OtherNamespaces::OtherNamespaces(int pid) {
  if (pid == 0) return;
  user_ = open_other(pid, "user");
  network_ = open_other(pid, "net");
  mount_ = open_other(pid, "mnt");
}

OtherNamespaces::~OtherNamespaces() {
  for (const int file : {user_, network_, mount_}) {
    if (file >= 0) close(file);
  }
}

// Enters the user namespace first, because that gives the permission to enter the others. A thread
// can enter a mount namespace only if it shares its root and working directory with no other thread
// (setns(2)), hence unshare: ThreadSanitizer runs its own thread in every forked child.
bool OtherNamespaces::enter() const {
  if (user_ >= 0 && setns(user_, CLONE_NEWUSER) != 0) return false;
  if (network_ >= 0 && setns(network_, CLONE_NEWNET) != 0) return false;
  return mount_ < 0 || (unshare(CLONE_FS) == 0 && setns(mount_, CLONE_NEWNS) == 0);
}

}  // namespace tailgate
