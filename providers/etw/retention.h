// Trace files that stay after their trial, within a total size.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tailgate::etw {

inline constexpr const char* kTraceExtension = ".etl";
// Names of files that stay begin so; no other file in their folder is touched.
inline constexpr const char* kKeptPrefix = "tailgate-";

// Removes the oldest of the folder's kept files, by the time of their last change, until the rest
// takes at most that many bytes. One that cannot be removed, since it is in use, counts and stays.
// Makes the folder when it is missing. Throws Error when it cannot be read or made.
void remove_oldest_traces(const std::filesystem::path& folder, std::uint64_t most_bytes);

}  // namespace tailgate::etw
