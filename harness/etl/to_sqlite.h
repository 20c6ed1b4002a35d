// Writes a trace's events to an SQLite database, which many tools read: one table per provider and
// event, one column per field.
//
//   sessions      session, name, start_utc, events_lost, buffers_lost
//   event_tables  name, provider, event, events: what each of the other tables holds
//
// Every other table is named "provider/event" and begins with the columns of kSqliteColumns. What
// follows are the event's fields, of all its versions. Numbers and booleans are numbers, bytes are
// blobs, arrays and structures JSON, everything else is the text of a dump; so are integers above
// 2^63 - 1, which SQLite does not have. A field that is named like one of the first columns is
// "fields.pid"; of several fields of one name the second is "name#2". What an event does not have
// is NULL.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// time_ns is since the session's start; process, file and image are the names of trace_names.h.
// These, activity, message and misfit (append_misfits() of event_path.h) are NULL where there is
// none.
inline constexpr std::string_view kSqliteColumns =
    "session, time_ns, cpu, pid, tid, id, version, opcode, level, activity, message, misfit, "
    "process, file, image";

struct SqliteOptions {
  EventFilter filter;
  bool replace = false;  // a file that exists
  // They decode; one at a time inserts, in order of time. The database is the same by any number.
  unsigned threads = 1;
};

struct SqliteCounts {
  std::uint64_t events = 0;
  std::uint64_t tables = 0;
  std::string why_nothing;  // when the filter matched nothing: what is near
};

// Writes the events that pass the filter to a new file: whole, or not at all. Throws Error when it
// exists and may not be replaced, when it cannot be written, and when this build has no SQLite.
// Writes nothing when the user interrupts it (InterruptFlag).
// Limits: 4,096 tables, beyond which events go to the table "other events", with their fields as
// JSON; 500 fields per table, beyond which they go to its column "more_fields"; 200 bytes of a
// name; 16 MB of an event's fields, beyond which they are NULL and misfit says damaged=true.
SqliteCounts write_sqlite(const std::vector<const TraceFile*>& files, Decoder& decoder,
                          const SqliteOptions& options, const std::filesystem::path& path);

}  // namespace tailgate::etl
