// Makes a copy of a trace that can be given to others: without texts, addresses of networks, ids of
// users and machines, and cut to a part of the time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "harness/etl/decoder.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

struct AnonymizeOptions {
  std::optional<double> from_ms;  // since the session's start: buffers that end before are left out
  std::optional<double> to_ms;    // buffers that begin later
  std::uint64_t max_bytes = 0;    // of the copy; 0: any number
};

struct AnonymizeCounts {
  std::uint64_t buffers = 0;
  std::uint64_t buffers_left_out = 0;  // by time or size
  std::uint64_t buffers_unreadable = 0;
  std::uint64_t cut_bytes = 0;  // behind damaged records
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

// Writes the copy to a new file, whole or not at all. Its buffers are not compressed. Only this is
// as it was:
//
//   headers of buffers and records      with times, sizes, ids, activities and counters
//   fields that a schema describes      as numbers, booleans, times or pointers
//   schemas                             in the file, and those that records carry: the names of
//                                       providers, events and fields
//   items beside the payload            stacks, related activities, ids of sessions, instances and
//                                       processes' starts
//
// Of texts that a schema describes every letter becomes x, every digit 0, and other signs of ASCII
// stay; of SIDs the parts behind the first become 0. Everything else becomes zeros: addresses of
// networks, GUIDs and bytes in payloads, other items, what no schema describes, and so the whole
// payload of an event without a schema.
//
// Throws Error when the copy cannot be written, or exists and may not be replaced. Writes nothing
// when the user interrupts it (InterruptFlag).
AnonymizeCounts anonymize(const TraceFile& file, Decoder& decoder, const AnonymizeOptions& options,
                          const std::filesystem::path& path, bool replace);

}  // namespace tailgate::etl
