#pragma once

#include <filesystem>
#include <string>

namespace tailgate {

// Returns a file's bytes; nothing where it cannot be read.
std::string file_text(const std::filesystem::path& path);

}  // namespace tailgate
