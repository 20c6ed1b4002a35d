#include "harness/explain/kernel_trace_windows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "harness/etw/kernel_flags.h"
#include "harness/etw/kernel_session.h"
#include "harness/explain/kernel_trace_file.h"

namespace tailgate::etw {
namespace {

// What explanations need.
const std::vector<std::string>& explaining_flags() {
  static const std::vector<std::string> kNames = {
      "process", "thread", "img",    "cswitch",    "dispatcher", "dpc",    "isr",
      "pf",      "hf",     "diskio", "diskioinit", "syscall",    "fileio", "fileioinit"};
  return kNames;
}

// The trace is read after the trial; the file is as large as on Linux.
class KernelTrace : public activity::Trace {
 public:
  explicit KernelTrace(const activity::TraceOptions& options) {
    file_.path = options.directory / "kernel.etl";
    file_.clock = options.clock;
    file_.start_ns = options.clock.now_ns();
    const std::uint32_t wanted = kernel_flag_bits(explaining_flags());
    session_ = start_kernel_session({.label = "kernel",
                                     .file = file_.path,
                                     .flags = wanted,
                                     .clock = options.clock.parameters().kind});
    const std::uint32_t missing = wanted & ~session_->granted_flags();
    if (missing == 0) return;
    limits_.push_back(fmt::format("Windows does not record {}", kernel_flag_names(missing)));
  }

  ~KernelTrace() override { stop(); }

  void stop() override {
    if (stopped_) return;
    stopped_ = true;
    const KernelSessionCounts ended = session_->stop();
    file_.end_ns = file_.clock.now_ns();
    file_.events_lost = ended.events_lost;
    file_.buffers_lost = ended.buffers_lost;
    file_.ended_early = ended.ended;
    if (!ended.failure.empty()) limits_.push_back(ended.failure);
  }

  TraceUsed read(activity::Timeline& timeline) override {
    TraceUsed used = read_kernel_trace(file_, timeline);
    used.system_calls = used.method == "kernel_trace" &&
                        (session_->granted_flags() & kernel_flag_bits({"syscall"})) != 0;
    if (!limits_.empty()) used.complete = false;
    if (!used.limits.empty()) limits_.push_back(used.limits);
    used.limits = fmt::format("{}", fmt::join(limits_, "; "));
    return used;
  }

 private:
  KernelTraceFile file_;
  std::unique_ptr<KernelSession> session_;
  bool stopped_ = false;
  std::vector<std::string> limits_;
};

}  // namespace

std::unique_ptr<activity::Trace> start_kernel_trace(const activity::TraceOptions& options) {
  return std::make_unique<KernelTrace>(options);
}

}  // namespace tailgate::etw
