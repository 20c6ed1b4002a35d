// The stacks of any events: of context switches, disk requests, exceptions, what a provider writes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

enum class StacksFormat {
  text,    // the most frequent stacks, innermost frame first
  folded,  // a line per stack, outermost frame first: "app.exe (500);a.dll+0x1;DiskIo/Read 7"
};

struct StacksOptions {
  StacksFormat format = StacksFormat::text;
  std::size_t max_rows = 20;  // stacks of the text
  // Names functions, see symbolize().
  std::optional<std::filesystem::path> symbols = std::nullopt;
};

// Reports how often the events that pass the filter occurred, by process and stack. When none pass,
// returns a text that says so, and names similar ones; when none has a stack, one that says that;
// when symbols were refused or could not be read, one that says why. Throws Error when the folder
// of symbols cannot be read.
std::string report_stacks(const std::vector<const TraceFile*>& files, Decoder& decoder,
                          const EventFilter& filter, const StacksOptions& options,
                          const TextSink& sink);

}  // namespace tailgate::etl
