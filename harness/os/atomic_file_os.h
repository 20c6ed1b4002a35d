// The half of atomic_file.h that differs between operating systems.
#pragma once

#include <filesystem>
#include <string_view>

#include "harness/base/error.h"

namespace tailgate {

// Returns the n-th name that this process may use for a temporary file in that folder. No other
// process uses it.
std::filesystem::path temporary_file(const std::filesystem::path& folder, unsigned n);

// Writes content to a new file beside target, syncs it, and renames it to target. target is an
// absolute path of a regular file, or of none yet. Throws Error; then target is as before.
// (atomic_file_linux.cpp, atomic_file_windows.cpp, like the next)
void write_and_rename(const std::filesystem::path& target, std::string_view content, bool replace);

// Writes content to a temporary file in that folder, syncs it, and removes it. Throws Error.
void write_and_remove(const std::filesystem::path& folder, std::string_view content);

// The Error of a file that exists and is not to be replaced.
Error refused_existing(const std::filesystem::path& path);

}  // namespace tailgate
