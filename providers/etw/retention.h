// Keeps trace files after their trial, within a total size.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tailgate::etw {

inline constexpr const char* kTraceExtension = ".etl";
// The names of kept files begin with this; no other file in their folder is touched.
inline constexpr const char* kKeptPrefix = "tailgate-";

// Removes the oldest kept files, by the time of their last change, until the others have at most
// most_bytes. A file in use cannot be removed: it counts and stays. Creates the folder when it is
// missing. Throws Error when the folder cannot be read or created.
void remove_oldest_traces(const std::filesystem::path& folder, std::uint64_t most_bytes);

}  // namespace tailgate::etw
