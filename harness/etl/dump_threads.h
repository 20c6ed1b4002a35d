// A dump by several threads.
#pragma once

#include <string>
#include <vector>

#include "harness/etl/dump_text.h"

namespace tailgate::etl {

// dump_events() on options.threads threads, the caller's among them. The threads take turns at
// reading a block of records and at writing what they made of it, and decode and format meanwhile.
// They write in the blocks' order, and call the sink one at a time.
std::string dump_on_threads(const std::vector<const TraceFile*>& files, Decoder& decoder,
                            const DumpOptions& options, const TextSink& sink);

// What a dump returns when it shows events.
std::string dump_notes(const DumpText& text, const std::string& name_limits);

}  // namespace tailgate::etl
