// Writes a whole trace for ui.perfetto.dev, in the Trace Event Format (trace_event_file.h).
//
//   processors         a "process" with two tracks each: who ran there, and interrupts with the
//                      events of no thread
//   processes          their threads, named where the trace names them
//   context switches   slices: the thread on its processor's track; on the thread's own track on
//                      which processor it ran, what it waited for, and how long it was ready
//   CPU samples        instants on their thread, named by image and offset
//   starts and stops   spans of their process (spans.h says which events pair)
//   counters           what the user names, .NET's EventCounters, the processors' own counters
//   all other events   instants with their fields
//
// Stack walks and the keys of stacks are left out (profile.h joins them), and so are stretches of
// running whose begin or end is in no record, and counters' values that are infinite or no number.
// Threads and processes are known by their ids alone: what reuses an id is on the same track.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

struct PerfettoCounts {
  std::uint64_t events = 0;   // instants, without samples
  std::uint64_t samples = 0;  // of processors
  std::uint64_t slices = 0;
  std::uint64_t spans = 0;
  std::uint64_t counters = 0;  // values
  // Left out: records of stacks and of their keys; runs of which a context switch is missing; what
  // threads did without a processor, beyond the limit; values that are infinite or no number.
  std::uint64_t stack_walks = 0;
  std::uint64_t broken_runs = 0;
  std::uint64_t waits_over_limit = 0;
  std::uint64_t counters_not_finite = 0;
  std::string why_nothing;  // when the filter matched nothing: names similar ones
};

// Writes what passes the filter to a new file, whole or not at all; names come from all events.
// counters: "EVENT=FIELD", a field of the events of that name (or task, opcode, id) that is a
// counter of their process. Throws Error when it cannot be written, or exists and may not be
// replaced, and for other texts of counters. Writes nothing when the user interrupts it
// (InterruptFlag). Limit: the states of 65,536 threads at a time.
PerfettoCounts write_perfetto(const std::vector<const TraceFile*>& files, Decoder& decoder,
                              const EventFilter& filter, const std::vector<std::string>& counters,
                              const std::filesystem::path& path, bool replace);

}  // namespace tailgate::etl
