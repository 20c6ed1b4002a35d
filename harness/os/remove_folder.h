// Removes folders with all that is in them.
#pragma once

#include <filesystem>

namespace tailgate {

// Removes the file or folder with all that is in it, and follows no link. Returns whether nothing
// is left; what cannot be removed stays, such as a file that a process holds open on Windows.
// Always ends. Does not throw.
bool remove_folder(const std::filesystem::path& folder);

}  // namespace tailgate
