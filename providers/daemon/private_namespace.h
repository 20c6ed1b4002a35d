// A view of the file system that only the processes of one session have, so that a daemon with
// fixed paths (/run/systemd/journal, /var/run/lttng, /dev/log) runs beside the machine's own and
// touches nothing of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "providers/sink.h"

namespace tailgate {

// What the private view changes, in this order. Every path is absolute.
class MountPlan {
 public:
  // An empty file system in memory over an existing directory. size_bytes 0: half of the memory.
  MountPlan& tmpfs(const std::filesystem::path& path, std::uint64_t size_bytes = 0);
  // source, a directory or a file, appears at target, which exists and is of the same kind.
  MountPlan& bind(const std::filesystem::path& source, const std::filesystem::path& target);
  // Names can be made, replaced and removed in an existing directory; what it held before stays
  // visible, except the names in `hidden`. Lists the directory now, as this process sees it.
  MountPlan& shadow(const std::filesystem::path& directory,
                    const std::vector<std::string>& hidden = {});
  // These three are for inside of a tmpfs, a shadow or a bound directory.
  MountPlan& directory(const std::filesystem::path& path);
  MountPlan& link(const std::filesystem::path& target, const std::filesystem::path& path);
  MountPlan& file(const std::filesystem::path& path, const std::string& content);

  enum class Kind : std::uint8_t {
    tmpfs,
    bind,
    directory,
    link,
    file,
    hold,    // keeps the directory `path` reachable for the revivals that follow
    revive,  // the name `other` of the held directory appears at `path`; may fail
  };
  struct Step {
    Kind kind;
    std::string path;
    std::string other;  // tmpfs: mount options; bind: source; link: target; file: content
  };
  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::vector<Step> steps_;
};

// Own: nothing but a loopback interface of its own, so that a port that a daemon opens is open to
// the session's processes only.
enum class NetworkView : std::uint8_t { shared, own };

// A mount namespace of our own; where the user may not make one, a user namespace around it, in
// which the user is root. A process that does nothing else holds it, and dies with the thread that
// made it; the kernel then takes the mounts away with the last process inside.
class PrivateNamespace {
 public:
  // Throws Error that names the step that failed.
  explicit PrivateNamespace(const MountPlan& plan, NetworkView network = NetworkView::shared);
  ~PrivateNamespace();
  PrivateNamespace(const PrivateNamespace&) = delete;
  PrivateNamespace& operator=(const PrivateNamespace&) = delete;

  // The holder: what Session::namespace_pid() returns.
  int pid() const { return pid_; }

  // The same file as seen from outside, through the holder's root.
  std::filesystem::path outside(const std::filesystem::path& path) const;

 private:
  int pid_ = 0;
};

// A file that a plan puts into a view says whose view it is: its content is the trial's directory.
// Throws Error unless this process sees it, so that nothing goes to the machine's own daemon.
void require_private_view(const std::filesystem::path& mark, const TrialContext& context);

// Whether this user can make one, found out once, in a child process that vanishes.
Probe probe_private_namespace(NetworkView network = NetworkView::shared);

}  // namespace tailgate
