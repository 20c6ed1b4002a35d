// Folders in a place that others may write to, such as /tmp.
#pragma once

#include <filesystem>

namespace tailgate {

// Makes a new folder that only this user may use (mode 0700; on Windows the parent's rights hold).
// Follows no link and takes no folder that is there already. Throws Error, also when another user
// could replace the folder: the parent belongs to a user who is neither this one nor root, or
// others may write to it and it has no sticky bit.
void make_private_folder(const std::filesystem::path& folder);

}  // namespace tailgate
