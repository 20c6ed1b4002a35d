// The part of the spdlog sink that includes the library's headers.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "harness/sink/sink.h"

namespace tailgate::spdlog_detail {

// Such as "1.10.0".
std::string library_version();

// Throws Error.
std::unique_ptr<Provider> open_logger(const TrialContext& context,
                                      const std::filesystem::path& path);

}  // namespace tailgate::spdlog_detail
