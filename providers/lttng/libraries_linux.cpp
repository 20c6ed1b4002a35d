#include <vector>

#include "harness/os/install_paths.h"
#include "providers/lttng/libraries.h"

namespace tailgate::lttng_detail {

std::filesystem::path find_library(const char* file_name) {
  const std::filesystem::path bin = executable_path().parent_path();
  std::vector<std::filesystem::path> folders = {bin / TAILGATE_LTTNG_FROM_BIN};
  if (runs_from_build_folder()) folders.emplace_back(TAILGATE_LTTNG_BUILT_IN);
  for (const std::filesystem::path& folder : folders) {
    std::error_code failed;
    const std::filesystem::path path = (folder / file_name).lexically_normal();
    if (std::filesystem::exists(path, failed)) return path;
  }
  return {};
}

}  // namespace tailgate::lttng_detail
