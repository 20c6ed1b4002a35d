// Without libarchive: says what to do instead.
#include "harness/base/error.h"
#include "harness/etl/container.h"

namespace tailgate::etl {

UnpackedMembers unpack_container(const std::filesystem::path& container,
                                 const std::filesystem::path&, std::uint64_t) {
  throw Error("'" + container.string() + "' is packed, and this build of tailgate cannot unpack it",
              "unpack it and name the .etl file in it, or build with libarchive (Debian: "
              "libarchive-dev)");
}

}  // namespace tailgate::etl
