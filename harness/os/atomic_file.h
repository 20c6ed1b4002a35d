// Replaces files atomically: a file has either the old or the new content at every moment, also
// after a crash or a power failure. The content is written to a temporary file in the same folder,
// synced to the disk, and renamed.
#pragma once

#include <filesystem>
#include <string_view>

namespace tailgate {

// What becomes of a file that has the name already.
enum class Existing { replace, refuse };

// Writes content to path, whole or not at all. When it returns, the content is on disk.
// Throws Error that names path if the folder is missing or not writable, the disk is full, the
// content exceeds the user's file size limit, or path is not a regular file (a device, a folder, a
// symbolic link: somebody else may have put it there for root to follow). In that case path is
// unchanged and the temporary file is removed. A file that is replaced keeps its rights. Refusing
// an existing file is atomic, too: of two programs that write at once, one gets the Error.
void write_file_atomically(const std::filesystem::path& path, std::string_view content,
                           Existing existing = Existing::replace);

// Tries whether a file of 64 KiB can be written in that folder, and removes it. Throws the Error of
// write_file_atomically.
void check_writable(const std::filesystem::path& folder);

// Returns the temporary file that write_file_atomically uses in a folder, in this process; for
// note_outside(). Other threads that write into the same folder at once use other names.
std::filesystem::path temporary_file_in(const std::filesystem::path& folder);

}  // namespace tailgate
