#include "harness/explain/kernel_trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "harness/base/error.h"
#include "harness/etl/kernel_activity.h"
#include "harness/etl/run_times.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etw {
namespace {

constexpr unsigned kNoHelpers = 0;  // a duet may measure its other side meanwhile

void limit(TraceUsed& used, const std::string& what) {
  used.limits += (used.limits.empty() ? "" : "; ") + what;
}

// Windows does not count the records in lost buffers, nor say which processors they were from.
void note_losses(const KernelTraceFile& trace, const etl::TraceFile& file, TraceUsed& used) {
  const std::uint64_t events =
      std::max<std::uint64_t>(trace.events_lost, file.header().events_lost);
  std::uint64_t buffers = std::max<std::uint64_t>(trace.buffers_lost, file.header().buffers_lost);
  for (const etl::Epoch& epoch : file.epochs()) buffers = std::max(buffers, epoch.sequence_gaps);
  if (events > 0) used.losses.push_back({-1, events});
  if (buffers > 0) limit(used, fmt::format("{} buffers of records were lost", buffers));
  if (events + buffers > 0) {
    limit(used, "where records are missing is unknown: an explanation may name the wrong thread");
  }
  used.complete = events + buffers == 0;
}

// Feeds all records to the timeline. Returns the time of the last one.
activity::Ticks feed(const etl::TraceFile& file, const etl::RunTimes& times,
                     const KernelTraceFile& trace, activity::Timeline& timeline, TraceUsed& used) {
  etl::KernelActivity activity(timeline, times);
  etl::TraceReader reader({&file}, etl::ReadOrder::time, kNoHelpers);
  activity::Ticks last = times.start_ns();
  while (const etl::Record* record = reader.next()) {
    etl::Record on_run_clock = *record;
    on_run_clock.time = times.time_ns(record->time);
    last = std::max(last, on_run_clock.time);
    activity.add(on_run_clock);
    ++used.records;
  }
  activity.finish(trace.ended_early ? last : static_cast<activity::Ticks>(trace.end_ns));
  used.damaged_bytes = reader.damage().unread_bytes + file.damage().skipped_bytes;
  if (activity.switch_batches() > 0) {
    limit(used,
          fmt::format("{} records with batches of context switches have an undocumented format",
                      activity.switch_batches()));
    used.complete = false;
  }
  return last;
}

}  // namespace

TraceUsed read_kernel_trace(const KernelTraceFile& trace, activity::Timeline& timeline) {
  TraceUsed used;
  try {
    const etl::TraceFile file(trace.path);
    const etl::RunTimes times(file.header(), trace.clock);
    times.check_start(trace.start_ns, trace.end_ns);
    used.method = "kernel_trace";
    used.bytes = file.bytes().size();
    used.start_ns = std::max(trace.start_ns, static_cast<std::uint64_t>(times.start_ns()));
    used.end_ns = trace.end_ns;
    note_losses(trace, file, used);
    const activity::Ticks last = feed(file, times, trace, timeline, used);
    used.mismatched_switches = timeline.mismatched_switches();
    if (trace.ended_early) {
      used.end_ns = static_cast<std::uint64_t>(last);
      limit(used, "the session ended early: its file was full, or another program stopped it");
    }
    used.complete = used.complete && !trace.ended_early && used.damaged_bytes == 0;
  } catch (const Error& error) {
    used = {};
    used.method = "none";
    used.limits = error.what();
  }
  return used;
}

}  // namespace tailgate::etw
