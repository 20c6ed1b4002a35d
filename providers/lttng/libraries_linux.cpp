#include "harness/os/install_paths.h"
#include "providers/lttng/libraries.h"

namespace tailgate::lttng_detail {

std::filesystem::path find_library(const char* file_name) {
  const std::filesystem::path bin = executable_path().parent_path();
  for (const std::filesystem::path& folder :
       {bin / TAILGATE_LTTNG_FROM_BIN, std::filesystem::path(TAILGATE_LTTNG_BUILT_IN)}) {
    std::error_code failed;
    const std::filesystem::path path = (folder / file_name).lexically_normal();
    if (std::filesystem::exists(path, failed)) return path;
  }
  return {};
}

}  // namespace tailgate::lttng_detail
