#include "harness/base/error.h"
#include "providers/file/own_disk.h"

namespace tailgate {
class PrivateNamespace {};
}  // namespace tailgate

namespace tailgate::file {
namespace {

constexpr const char* kNoDisk = "Windows has no file system in memory for one session";
constexpr const char* kNoDiskRemedy = "leave disk_bytes out";

}  // namespace

OwnDisk::OwnDisk(const std::filesystem::path&, std::uint64_t, int) {
  throw Error(kNoDisk, kNoDiskRemedy);
}

OwnDisk::~OwnDisk() = default;

int OwnDisk::namespace_pid() const {
  return 0;
}

std::filesystem::path OwnDisk::outside(const std::filesystem::path& path) const {
  return path;
}

Probe probe_own_disk() {
  return {.available = false, .reason = kNoDisk, .remedy = kNoDiskRemedy};
}

}  // namespace tailgate::file
