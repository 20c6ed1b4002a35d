// A file system of its own for the session's file, in memory and of a chosen size, so that it can
// be full while the machine's disks are not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "harness/base/probe.h"

namespace tailgate {
class PrivateNamespace;
}

namespace tailgate::file {

class OwnDisk {
 public:
  // folder: exists, and is empty. inside_pid: TrialContext's. Throws Error.
  OwnDisk(const std::filesystem::path& folder, std::uint64_t bytes, int inside_pid);
  ~OwnDisk();

  // Of the process whose namespaces show it.
  int namespace_pid() const;

  // The path by which this process reaches a file on it.
  std::filesystem::path outside(const std::filesystem::path& path) const;

 private:
  std::unique_ptr<PrivateNamespace> view_;
};

Probe probe_own_disk();

}  // namespace tailgate::file
