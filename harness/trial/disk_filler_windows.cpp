#include "harness/base/error.h"
#include "harness/trial/disk_filler.h"

namespace tailgate {

void DiskFiller::fill(const std::filesystem::path&) {
  throw Error("Windows has no file system in memory that a session could have for itself",
              "fill disks on Linux");
}

void DiskFiller::free() noexcept {}

}  // namespace tailgate
