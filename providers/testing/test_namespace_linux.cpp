#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "harness/base/error.h"
#include "providers/testing/test_namespace.h"

namespace tailgate {

EnteredNamespace::EnteredNamespace(int pid) {
  if (pid == 0) return;
  const std::string theirs = fmt::format("/proc/{}/ns/mnt", pid);
  const int other = open(theirs.c_str(), O_RDONLY | O_CLOEXEC);
  own_ = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  // A mount namespace is entered by a thread whose root and working directory are its own.
  const bool entered =
      other >= 0 && own_ >= 0 && unshare(CLONE_FS) == 0 && setns(other, CLONE_NEWNS) == 0;
  const int failed = errno;
  if (other >= 0) close(other);
  if (!entered) throw system_error("setns", theirs, failed, "run the tests as root");
}

EnteredNamespace::~EnteredNamespace() {
  if (own_ < 0) return;
  // Nothing in this process would be true any more.
  if (setns(own_, CLONE_NEWNS) != 0) std::abort();
  close(own_);
}

}  // namespace tailgate
