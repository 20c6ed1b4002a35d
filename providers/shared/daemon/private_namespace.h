// A private view of the file system for the processes of one session. A daemon with fixed paths
// (/run/systemd/journal, /var/run/lttng, /dev/log) runs in it beside the machine's own daemon and
// touches nothing of that one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/sink/sink.h"

namespace tailgate {

// What the private view changes, applied in the order of the calls. Every path is absolute.
class MountPlan {
 public:
  // The view is made within the namespaces of that process, of another session's holder, and shows
  // what that one shows, too. 0: within the ones that this process is in.
  explicit MountPlan(int inside_pid = 0) : inside_pid_(inside_pid) {}
  int inside_pid() const { return inside_pid_; }

  // Mounts an empty tmpfs over an existing directory. size_bytes 0: half of the memory.
  MountPlan& tmpfs(const std::filesystem::path& path, std::uint64_t size_bytes = 0);
  // Shows `source`, a directory or a file, at `target`, which exists and is of the same kind.
  MountPlan& bind(const std::filesystem::path& source, const std::filesystem::path& target);
  // Makes an existing directory writable without changing the original: names can be created,
  // replaced and removed in it. Its present entries stay visible, except the names in `hidden`.
  // Lists the directory now, as the namespaces show it in which the view is made.
  MountPlan& shadow(const std::filesystem::path& directory,
                    const std::vector<std::string>& hidden = {});
  // The next three create entries inside a tmpfs, a shadowed or a bound directory.
  MountPlan& directory(const std::filesystem::path& path);
  MountPlan& link(const std::filesystem::path& target, const std::filesystem::path& path);
  MountPlan& file(const std::filesystem::path& path, const std::string& content);

  enum class Kind : std::uint8_t {
    tmpfs,
    bind,
    directory,
    link,
    file,
    hold,     // keeps the directory `path` open for the restore steps that follow
    restore,  // shows the entry `other` of the held directory at `path`; may fail
  };
  struct Step {
    Kind kind;
    std::string path;
    std::string other;  // tmpfs: mount options; bind: source; link: target; file: content
  };
  const std::vector<Step>& steps() const { return steps_; }

 private:
  int inside_pid_;
  std::vector<Step> steps_;
};

// own: a network namespace with nothing but a loopback interface, so that only the session's
// processes reach a port that a daemon opens.
enum class NetworkView : std::uint8_t { shared, own };

// A mount namespace for one session. Where the user may not create one, it lies in a user namespace
// in which the user is root. A holder process keeps it alive and does nothing else; it dies with
// the thread that created it. The kernel removes the mounts when the last process inside has ended.
class PrivateNamespace {
 public:
  // Throws Error, which names the step that failed.
  explicit PrivateNamespace(const MountPlan& plan, NetworkView network = NetworkView::shared);
  ~PrivateNamespace();
  PrivateNamespace(const PrivateNamespace&) = delete;
  PrivateNamespace& operator=(const PrivateNamespace&) = delete;

  // The holder's pid, which Session::namespace_pid() returns.
  int pid() const { return pid_; }

  // The path by which this process reaches the same file from outside. It stays valid as long as
  // this object exists, even if something kills the holder.
  std::filesystem::path outside(const std::filesystem::path& path) const;

  // Says how the holder ended, for Session::stop() to throw; nothing while it runs. Files inside
  // can still be reached, but no further process can enter.
  std::optional<Error> holder_failure() const;

 private:
  void release();

  int pid_ = 0;
  int root_ = -1;    // the directory / inside
  int mounts_ = -1;  // the mount namespace: its mounts last as long as this is open
};

// The plan puts a file `mark` into the view; it contains the path of the trial's directory. Throws
// Error when this process does not see that content, so that no event reaches the machine's own
// daemon. Returns the context, so that a member's initializer can check it first.
const TrialContext& require_private_view(const std::filesystem::path& mark,
                                         const TrialContext& context);

// Whether this user may create a private namespace. Tries it once, in a child process that ends
// again.
Probe probe_private_namespace(NetworkView network = NetworkView::shared);

}  // namespace tailgate
