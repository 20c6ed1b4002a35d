#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/explain/kernel_trace_linux.h"
#include "harness/explain/no_trace.h"
#include "harness/explain/start_trace.h"
#include "harness/explain/switch_trace_linux.h"
#include "harness/tracefs/trace_folder.h"

namespace tailgate::activity {
namespace {

std::unique_ptr<Trace> start_best(const TraceOptions& options) {
  const Probe tracefs = tracefs::probe_tracefs();
  std::string why = tracefs.reason;  // the next method's remedy covers both
  try {
    if (tracefs.available) return start_kernel_trace(options);
  } catch (const Error& error) {
    why = error.what();
  }
  try {
    return start_switch_trace(options);
  } catch (const Error& error) {
    return std::make_unique<NoTrace>(fmt::format("{}; {}", why, error.what()));
  }
}

}  // namespace

std::unique_ptr<Trace> start_trace(const TraceOptions& options) {
  switch (options.method) {
    case TraceMethod::kernel_trace:
      return start_kernel_trace(options);
    case TraceMethod::context_switches:
      return start_switch_trace(options);
    case TraceMethod::best:
      break;
  }
  return start_best(options);
}

Probe probe_trace() {
  Probe probe = tracefs::probe_tracefs();
  if (!probe.available) probe.reason += "; slow calls are explained by context switches alone";
  return probe;
}

}  // namespace tailgate::activity
