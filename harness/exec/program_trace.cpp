#include "harness/exec/program_trace.h"

#include "harness/explain/explain.h"
#include "harness/explain/start_trace.h"
#include "harness/trial/trial_trace.h"

namespace tailgate {

ProgramTrace::ProgramTrace(activity::TraceMethod method, const Clock& clock,
                           const std::filesystem::path& directory)
    : trace_(activity::start_trace(
          {.method = method, .directory = directory, .clock = clock, .threads = {}, .cpus = {}})) {}

Explanation ProgramTrace::explain(const std::vector<std::uint32_t>& threads,
                                  const std::vector<SlowCall>& slowest, const CallTimes& times) {
  // The timeline begins at 0: nothing of the program happened before the trace's first record.
  activity::Timeline timeline(1'000'000'000, 0);
  timeline.keep_intervals();
  for (const std::uint32_t thread : threads) timeline.watch(thread);
  const TraceUsed used = trace_->read(timeline);
  return activity::explain(timeline, {.trace = used,
                                      .threads = threads,
                                      .slowest = slowest,
                                      .slowest_responses = {},
                                      .service = times.service,
                                      .response = times.response,
                                      .quantile = kExplainedQuantile});
}

}  // namespace tailgate
