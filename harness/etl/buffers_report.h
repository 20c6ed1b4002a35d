// How fast a session filled its buffers, by processor over time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// A buffer counts at the time of its last record. filled_bytes are after decompression;
// flagged_lost counts buffers whose flags say that events were lost before or in them.
inline constexpr std::string_view kBufferColumns =
    "from_ms\tto_ms\tcpu\tbuffers\trecords\tfilled_bytes\tbuffer_bytes\tflagged_lost";

// Reports the buffers of each interval and processor as TSV, or as one JSON object a line.
// interval_ms: 0 for a twentieth of the trace. Each file's sessions follow one after another.
// Returns what is not in it, if anything: buffers without a record that can be read, and those
// beyond 1,000,000 rows.
std::string report_buffers(const std::vector<const TraceFile*>& files, double interval_ms,
                           TextFormat format, const TextSink& sink);

}  // namespace tailgate::etl
