// The part of the spdlog sink that needs the library: logger.cpp, or logger_missing.cpp in a build
// without it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "providers/sink.h"

namespace tailgate::spdlog_detail {

Probe probe_library();

// "1.10.0", or "" in a build without it.
std::string library_version();

// Throws Error.
std::unique_ptr<Provider> open_logger(const TrialContext& context,
                                      const std::filesystem::path& path);

}  // namespace tailgate::spdlog_detail
