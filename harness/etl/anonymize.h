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
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

// Writes the copy to a new file, whole or not at all. Its buffers are not compressed; they keep
// their records, headers, times, sizes, ids, numbers and code addresses.
//
//   text                        every letter becomes x, every digit 0; other signs of ASCII stay
//   SIDs                        all but the first part of the id become 0
//   addresses of networks, GUIDs in payloads, bytes without a type    become 0
//   bytes without a schema      what looks like text is treated as text; the rest stays
//
// The names of providers, events and fields stay: schemas in the file are copied as they are.
// Throws Error when the copy cannot be written, or exists and may not be replaced.
AnonymizeCounts anonymize(const TraceFile& file, Decoder& decoder, const AnonymizeOptions& options,
                          const std::filesystem::path& path, bool replace);

}  // namespace tailgate::etl
