// The same traces read by libbabeltrace2, for tests and benchmarks: the reader that ours is checked
// against and compared with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace tailgate {

struct BabeltraceEvent {
  std::uint64_t timestamp = 0;  // clock ticks
  std::vector<std::byte> payload;
};

// Every event of all traces below the folder, merged by time. Throws Error.
std::vector<BabeltraceEvent> babeltrace_events(const std::filesystem::path& folder);

// Reads all and only counts the events: none of their fields are looked at.
std::uint64_t babeltrace_count(const std::filesystem::path& folder);

}  // namespace tailgate
