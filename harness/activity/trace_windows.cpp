#include "harness/activity/trace.h"
#include "harness/base/error.h"

namespace tailgate::activity {
namespace {

constexpr const char* kReason = "tailgate does not record the kernel's events on Windows yet";
constexpr const char* kRemedy =
    "record them with logman or xperf, and read the file with 'tailgate etl cpu'";

class NoTrace : public Trace {
 public:
  void stop() override {}
  TraceUsed read(Timeline&) override {
    TraceUsed used;
    used.method = "none";
    used.limits = kReason;
    return used;
  }
};

}  // namespace

std::unique_ptr<Trace> start_trace(const TraceOptions& options) {
  if (options.method != TraceMethod::best) throw Error(kReason, kRemedy);
  return std::make_unique<NoTrace>();
}

Probe probe_trace() {
  return {.available = false, .reason = kReason, .remedy = kRemedy};
}

}  // namespace tailgate::activity
