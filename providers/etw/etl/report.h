// What `tailgate etl` prints: the file's facts, its events, their counts. Everything streams to a
// sink, so output of any length needs no memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "providers/etw/etl/decoder.h"
#include "providers/etw/etl/trace_file.h"

namespace tailgate::etl {

// Takes a piece of output. False: the reader of the output has gone, so stop; that is no error.
using TextSink = std::function<bool(std::string_view)>;

enum class TextFormat { text, json };

// Header, sessions, losses, damage, buffers a processor, providers with their counts. Reads the
// whole file. Text, or one JSON object a file and line.
void report_info(const TraceFile& file, Decoder& decoder, TextFormat format, const TextSink& sink);

// Events by provider, event and version, most frequent first. Text, or one JSON object.
void report_stats(const std::vector<const TraceFile*>& files, Decoder& decoder, TextFormat format,
                  const TextSink& sink);

// Which events to show. Everything that is set has to match.
struct EventFilter {
  std::vector<std::string> providers;  // names (case does not matter) or GUIDs; empty: all
  std::vector<std::string> events;     // names, opcode names or ids; empty: all
  std::vector<std::uint32_t> process_ids;
  std::optional<double> from_ms;  // since the session's start
  std::optional<double> to_ms;
};

enum class DumpFormat { tsv, json_lines };

struct DumpOptions {
  DumpFormat format = DumpFormat::tsv;
  EventFilter filter;
  std::uint64_t max_events = 0;  // 0: all
};

// Columns of the TSV in front of the event's own name=value fields. Unknown ids are "-".
inline constexpr std::string_view kDumpColumns =
    "time_ms\tcpu\tpid\ttid\tprovider\tevent\tid\tversion\topcode\tlevel\tlength_bytes\tfields";

// Every event that the filter lets through, in order of time. Thread and process ids that a record
// lacks are those of who was running (JSON says "attributed" then). TSV starts with a line of
// column names. JSON has one object a line.
void dump_events(const std::vector<const TraceFile*>& files, Decoder& decoder,
                 const DumpOptions& options, const TextSink& sink);

// The state machine's report: CPU time of processors, processes, threads and interrupt routines,
// wake-up latency, disks, page faults; of each clock's session in turn. max_rows limits each table
// of the text; the JSON (one object a session and line) holds all.
void report_cpu(const std::vector<const TraceFile*>& files, TextFormat format, std::size_t max_rows,
                const TextSink& sink);

}  // namespace tailgate::etl
