// Reads limits from the kernel's files below a given root, so that tests can provide files.
#pragma once

#include <filesystem>

#include "harness/os/limits.h"

namespace tailgate {

// root: the folder that contains proc/ and sys/. The limits of this process itself are left out.
SystemLimits read_limit_files(const std::filesystem::path& root);

}  // namespace tailgate
