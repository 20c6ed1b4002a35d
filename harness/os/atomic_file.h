// Replaces files atomically: a file has either the old or the new content at every moment, also
// after a crash or a power failure. The content is written to a temporary file in the same folder,
// synced to the disk, and renamed.
#pragma once

#include <filesystem>
#include <string_view>

namespace tailgate {

// Writes content to path and replaces an existing file. When it returns, the content is on disk.
// Throws Error that names path if the folder is missing or not writable, the disk is full, the
// content exceeds the user's file size limit, or path is not a regular file (a device, a folder, a
// symbolic link: somebody else may have put it there for root to follow). In that case path is
// unchanged and the temporary file is removed. A file that is replaced keeps its rights.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace tailgate
