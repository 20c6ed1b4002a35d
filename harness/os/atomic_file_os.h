// The half of atomic_file.h that differs between operating systems.
#pragma once

#include <filesystem>
#include <string_view>

namespace tailgate {

// Writes content to a new file beside target, syncs it, and renames it to target. target is an
// absolute path of a regular file, or of none yet. Throws Error; then target is as before.
// (atomic_file_linux.cpp, atomic_file_windows.cpp)
void replace_file(const std::filesystem::path& target, std::string_view content);

}  // namespace tailgate
