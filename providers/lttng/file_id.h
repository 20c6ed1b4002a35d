// Which file a path leads to, whatever its name: a rotation moves files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace tailgate {

using FileId = std::pair<std::uint64_t, std::uint64_t>;

// Nothing if the file is not there. On Windows, where no trace is written, the path stands for the
// file.
std::optional<FileId> file_id(const std::filesystem::path& path);

}  // namespace tailgate
