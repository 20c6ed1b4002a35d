// Whether a daemon ran out of disk space.
#pragma once

#include <filesystem>

namespace tailgate {

// Whether a process of this user can put no further page into a file in that folder: then what a
// daemon did not write was lost to the full disk. False if the folder cannot be examined.
bool disk_is_full(const std::filesystem::path& folder);

}  // namespace tailgate
