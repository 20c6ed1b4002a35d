// Reads a trace with both readers and compares the results, for tests.
#pragma once

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "providers/lttng/babeltrace_reader.h"
#include "providers/lttng/ctf_trace.h"

namespace tailgate {

// Returns the number of events if both readers found the same events with the same times and bytes;
// throws Error otherwise. Only libbabeltrace2 merges the streams, so both results are sorted first.
inline std::size_t compare_with_babeltrace(const std::filesystem::path& folder) {
  using Event = std::pair<std::uint64_t, std::vector<std::byte>>;
  struct Keep : CtfVisitor {
    void event(const CtfEvent& event) override {
      events.emplace_back(event.timestamp,
                          std::vector<std::byte>(event.payload.begin(), event.payload.end()));
    }
    void damage(std::size_t bytes) override {
      throw Error(std::to_string(bytes) + " bytes of damage in a good trace", "see the reader");
    }
    std::vector<Event> events;
  } ours;
  CtfTraceReader reader(folder);
  while (reader.poll(ours) > 0) {
  }
  reader.finish(ours);
  std::vector<Event> theirs;
  for (BabeltraceEvent& event : babeltrace_events(folder)) {
    theirs.emplace_back(event.timestamp, std::move(event.payload));
  }
  std::sort(ours.events.begin(), ours.events.end());
  std::sort(theirs.begin(), theirs.end());
  if (ours.events != theirs) {
    throw Error("the readers differ: " + std::to_string(ours.events.size()) + " events and " +
                    std::to_string(theirs.size()),
                "see which one is right");
  }
  return ours.events.size();
}

}  // namespace tailgate
