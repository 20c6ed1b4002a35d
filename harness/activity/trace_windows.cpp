#include <optional>

#include "harness/activity/kernel_trace_windows.h"
#include "harness/activity/no_trace.h"
#include "harness/activity/trace.h"
#include "harness/base/error.h"

namespace tailgate::activity {
namespace {

constexpr const char* kReason = "nothing in this program records the kernel's events";
constexpr const char* kRemedy =
    "record them with logman or xperf, and read the file with 'tailgate etl cpu'";

std::optional<KernelTraceOffer>& offered() {
  static std::optional<KernelTraceOffer> offer;
  return offer;
}

std::unique_ptr<Trace> start_kernel_trace(const TraceOptions& options) {
  if (!offered()) throw Error(kReason, kRemedy);
  return offered()->start(options);
}

}  // namespace

void offer_kernel_trace(const KernelTraceOffer& offer) {
  offered() = offer;
}

std::unique_ptr<Trace> start_trace(const TraceOptions& options) {
  switch (options.method) {
    case TraceMethod::kernel_trace:
      return start_kernel_trace(options);
    case TraceMethod::context_switches:
      throw Error("Windows shows context switches in its kernel's trace alone",
                  "trace the kernel, which shows more");
    case TraceMethod::best:
      break;
  }
  try {
    return start_kernel_trace(options);
  } catch (const Error& error) {
    return std::make_unique<NoTrace>(error.what());
  }
}

Probe probe_trace() {
  if (!offered()) return {.available = false, .reason = kReason, .remedy = kRemedy};
  return offered()->probe();
}

}  // namespace tailgate::activity
