// Files that are either the old or the new content at every moment, also after a crash or a power
// cut: the content goes to a temporary file in the same folder, reaches the disk, and takes the
// name in one step.
#pragma once

#include <filesystem>
#include <string_view>

namespace tailgate {

// Writes content to path, replacing a file of that name. When it returns, the content is on disk.
// Throws Error that names path when the folder is missing or closed to this user, the disk is full,
// the content is over the user's file size limit, or path names something other than a regular
// file (a device, a folder); path is then as it was and the temporary file is gone. A symbolic link
// is followed: the file that it names is replaced.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace tailgate
