// Reads traces with libbabeltrace2, for the tests and benchmarks that compare it with tailgate's
// reader.
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

// Returns the events of all traces below the folder, merged by time. Throws Error.
std::vector<BabeltraceEvent> babeltrace_events(const std::filesystem::path& folder);

// Reads all events and only counts them; does not read their fields.
std::uint64_t babeltrace_count(const std::filesystem::path& folder);

}  // namespace tailgate
