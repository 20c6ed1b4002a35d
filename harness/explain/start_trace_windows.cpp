#include "harness/base/error.h"
#include "harness/etw/kernel_session.h"
#include "harness/explain/kernel_trace_windows.h"
#include "harness/explain/no_trace.h"
#include "harness/explain/start_trace.h"

namespace tailgate::activity {

std::unique_ptr<Trace> start_trace(const TraceOptions& options) {
  switch (options.method) {
    case TraceMethod::kernel_trace:
      return etw::start_kernel_trace(options);
    case TraceMethod::context_switches:
      throw Error("Windows records context switches only in its kernel trace",
                  "use the kernel trace");
    case TraceMethod::best:
      break;
  }
  try {
    return etw::start_kernel_trace(options);
  } catch (const Error& error) {
    return std::make_unique<NoTrace>(error.what());
  }
}

Probe probe_trace() {
  return etw::probe_kernel_session();
}

}  // namespace tailgate::activity
