// The reports of `tailgate etl`: the file's properties, its events, their counts. All output is
// streamed to a TextSink, so it may be of any length.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/event_path.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// Receives a piece of output. It returns false when the reader of the output has closed it; the
// report then stops, which is not an error.
using TextSink = std::function<bool(std::string_view)>;

// A report hands its text over in pieces of about this size.
inline constexpr std::size_t kFlushBytes = 256 * 1024;

enum class TextFormat { text, json };

struct ContainerBytes;

// Reports header, sessions, losses, damage, buffers per processor, and providers with their counts.
// Reads the whole file. Text, or one JSON object per file and line. container: the archive from
// which the file was extracted, if any.
void report_info(const TraceFile& file, Decoder& decoder, TextFormat format, const TextSink& sink,
                 const ContainerBytes* container = nullptr);

// Reports the number of events by provider, event and version, most frequent first, with those that
// misfit their schema; and what became of the payloads' bytes: used, padding, left over, undecoded.
// Text, or one JSON object.
void report_stats(const std::vector<const TraceFile*>& files, Decoder& decoder, TextFormat format,
                  const TextSink& sink);

class Where;

// Selects events; an event must match every criterion that is set.
struct EventFilter {
  std::vector<std::string> providers;  // names (case does not matter) or GUIDs; empty: all
  std::vector<std::string> events;     // names, opcode names or ids; empty: all
  std::vector<std::uint32_t> process_ids;
  std::optional<double> from_ms;  // since the session's start
  std::optional<double> to_ms;
  std::optional<std::int64_t> since;  // FILETIME
  std::optional<std::int64_t> until;
  std::shared_ptr<const Where> where;  // null: all
};

// Parses the texts of parse_time() and parse_duration() into a filter's times; empty texts set
// nothing. `last` counts back from the time of the files' last record, which it reads them for.
// Local times are those of the first file's machine. Throws Error for other texts.
struct TimeTexts {
  std::string since;
  std::string until;
  std::string last;
};
void set_times(const TimeTexts& texts, bool local, const std::vector<const TraceFile*>& files,
               EventFilter& filter);

enum class DumpFormat { tsv, csv, json_lines, xml };

// What the TSV's first column shows; JSON has the first two in any case, XML the second.
enum class DumpTime { since_start, utc, local };

struct DumpOptions {
  DumpFormat format = DumpFormat::tsv;
  DumpTime time = DumpTime::since_start;
  EventFilter filter;
  std::vector<EventPath> columns;  // empty: the standard ones. Not of JSON and XML
  std::uint64_t max_events = 0;    // 0: all
  // More than one: they decode and format, and the output is the same. Not with max_events.
  unsigned threads = 1;
};

// The TSV's columns; the event's fields follow as name=value pairs. Unknown ids are "-". The first
// column is time_utc or time_local for those times. What does not fit is marked behind the fields:
// left_over=0x... bytes behind the last field, missing=N fields that the payload ends before,
// layout_version=N when the schema is of another version than the event, damaged=true when the
// payload ends within a field. payload=0x... are the bytes of an event without a schema. Last come
// process=, file= and image=, the names of trace_names.h, as far as the trace knows them.
inline constexpr std::string_view kDumpColumns =
    "time_ms\tcpu\tpid\ttid\tprovider\tevent\tid\tversion\topcode\tlevel\tlength_bytes\tfields";

// Writes every event that passes the filter, in order of time. A record without thread or process
// id gets those of the thread that was running (marked "attributed" in JSON). TSV and CSV begin
// with a line of column names; CSV has the columns "fields" (a JSON object), "message", "misfit",
// "process", "file" and "image"
// in place of what follows TSV's standard columns. JSON has one object per line, XML one <Event>
// (dump_xml.h). When the filter
// matches nothing, returns a text that says so, and what is near; when no event has what a column
// names, one that says that; one that says how many characters XML does not have; and one that says
// how many names had no room. Else nothing.
std::string dump_events(const std::vector<const TraceFile*>& files, Decoder& decoder,
                        const DumpOptions& options, const TextSink& sink);

// Reports what the kernel's events add up to: CPU time of processors, processes, threads and
// interrupt routines, wake-up latency, disks, page faults; one report per clock. max_rows limits
// each table of the text; the JSON (one object per session and line) has all rows.
void report_cpu(const std::vector<const TraceFile*>& files, TextFormat format, std::size_t max_rows,
                const TextSink& sink);

}  // namespace tailgate::etl
