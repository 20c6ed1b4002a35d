#include "providers/file/own_disk.h"

#include "providers/shared/daemon/private_namespace.h"

namespace tailgate::file {

OwnDisk::OwnDisk(const std::filesystem::path& folder, std::uint64_t bytes, int inside_pid)
    : view_(std::make_unique<PrivateNamespace>(MountPlan(inside_pid).tmpfs(folder, bytes))) {}

OwnDisk::~OwnDisk() = default;

int OwnDisk::namespace_pid() const {
  return view_->pid();
}

std::filesystem::path OwnDisk::outside(const std::filesystem::path& path) const {
  return view_->outside(path);
}

Probe probe_own_disk() {
  return probe_private_namespace();
}

}  // namespace tailgate::file
