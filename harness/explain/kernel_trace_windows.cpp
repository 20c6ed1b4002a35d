#include "harness/explain/kernel_trace_windows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "harness/etw/access_windows.h"
#include "harness/etw/properties_windows.h"
#include "harness/explain/kernel_trace_file.h"

namespace tailgate::etw {
namespace {

// A kind of kernel event: its name in Microsoft's article "Core OS Events in Windows 7" (September
// 2009), which xperf and logman use, too, and its bit of EVENT_TRACE_PROPERTIES::EnableFlags.
struct KernelFlag {
  const char* name;
  ULONG bit;
};
constexpr KernelFlag kKernelFlags[] = {
    {"process", EVENT_TRACE_FLAG_PROCESS},         {"thread", EVENT_TRACE_FLAG_THREAD},
    {"img", EVENT_TRACE_FLAG_IMAGE_LOAD},          {"cswitch", EVENT_TRACE_FLAG_CSWITCH},
    {"dispatcher", EVENT_TRACE_FLAG_DISPATCHER},   {"dpc", EVENT_TRACE_FLAG_DPC},
    {"isr", EVENT_TRACE_FLAG_INTERRUPT},           {"pf", EVENT_TRACE_FLAG_MEMORY_PAGE_FAULTS},
    {"hf", EVENT_TRACE_FLAG_MEMORY_HARD_FAULTS},   {"diskio", EVENT_TRACE_FLAG_DISK_IO},
    {"diskioinit", EVENT_TRACE_FLAG_DISK_IO_INIT}, {"syscall", EVENT_TRACE_FLAG_SYSTEMCALL},
};

constexpr const char* kElevateForKernel =
    "run tailgate from an elevated prompt: the kernel's events are for administrators, who have "
    "SeSystemProfilePrivilege";

// The trace is read after the trial. Until then up to 256 MiB of buffers hold it, and the file is
// as large as on Linux.
constexpr ULONG kBufferKib = 1024;
constexpr ULONG kBuffersMin = 64;
constexpr ULONG kBuffersMax = 256;
constexpr ULONG kMaxFileMib = 512;

ULONG all_flags() {
  ULONG flags = 0;
  for (const KernelFlag& flag : kKernelFlags) flags |= flag.bit;
  return flags;
}

Properties wanted(const Clock& clock, const std::filesystem::path& path) {
  constexpr ULONG kSystemLogger = 0x02000000;  // EVENT_TRACE_SYSTEM_LOGGER_MODE
  constexpr ULONG kPerformanceCounter = 1;
  constexpr ULONG kCycleCounter = 3;
  const bool tsc = clock.parameters().kind == ClockKind::tsc;
  Properties wanted;
  wanted->Wnode.ClientContext = tsc ? kCycleCounter : kPerformanceCounter;
  wanted->BufferSize = kBufferKib;
  wanted->MinimumBuffers = kBuffersMin;
  wanted->MaximumBuffers = kBuffersMax;
  wanted->MaximumFileSize = kMaxFileMib;
  wanted->LogFileMode = EVENT_TRACE_FILE_MODE_SEQUENTIAL | kSystemLogger;
  wanted->EnableFlags = all_flags();
  wanted.set_file(path);
  return wanted;
}

class KernelTrace : public activity::Trace {
 public:
  explicit KernelTrace(const activity::TraceOptions& options)
      : name_(fmt::format("tailgate-{}-kernel", GetCurrentProcessId())), wide_name_(wide(name_)) {
    file_.path = options.directory / "kernel.etl";
    file_.clock = options.clock;
    // If this fails, the error of StartTraceW says best what is missing.
    switch_on_system_profile_privilege();
    // Stops a stale session of an earlier process with the same pid.
    control(0, EVENT_TRACE_CONTROL_STOP);
    Properties properties = wanted(options.clock, file_.path);
    file_.start_ns = options.clock.now_ns();
    check("StartTraceW", api().start_trace(&handle_, wide_name_.c_str(), &properties.properties()));
    running_ = true;
    try {
      query();
    } catch (const Error&) {
      stop();
      throw;
    }
  }

  ~KernelTrace() override { stop(); }

  void stop() override {
    if (!running_) return;
    running_ = false;
    Properties ended;
    const ULONG error = control(handle_, EVENT_TRACE_CONTROL_STOP, &ended);
    file_.end_ns = file_.clock.now_ns();
    file_.events_lost = ended->EventsLost;
    file_.buffers_lost = ended->LogBuffersLost;
    file_.ended_early = error == kInstanceNotFound;
    if (error == ERROR_SUCCESS || file_.ended_early) return;
    limits_.push_back(windows_error("ControlTraceW", name_, error, "").what_failed());
  }

  TraceUsed read(activity::Timeline& timeline) override {
    TraceUsed used = read_kernel_trace(file_, timeline);
    used.system_calls =
        used.method == "kernel_trace" && (granted_ & EVENT_TRACE_FLAG_SYSTEMCALL) != 0;
    if (!limits_.empty()) used.complete = false;
    if (!used.limits.empty()) limits_.push_back(used.limits);
    used.limits = fmt::format("{}", fmt::join(limits_, "; "));
    return used;
  }

 private:
  ULONG control(TRACEHANDLE handle, ULONG code, Properties* answer = nullptr) const {
    Properties ignored;
    return api().control_trace(handle, wide_name_.c_str(),
                               &(answer == nullptr ? ignored : *answer).properties(), code);
  }

  void check(const char* call, ULONG error) const {
    if (error == ERROR_SUCCESS) return;
    throw windows_error(call, name_, error,
                        error == ERROR_ACCESS_DENIED ? kElevateForKernel : session_remedy(error));
  }

  // Reads what Windows granted. A real session has buffers: Wine reports a start and has none.
  void query() {
    Properties given;
    check("ControlTraceW", control(handle_, EVENT_TRACE_CONTROL_QUERY, &given));
    if (given->NumberOfBuffers == 0) {
      throw Error(fmt::format("session '{}' has no buffers: nothing is traced", name_),
                  "run on Windows");
    }
    granted_ = given->EnableFlags;
    std::vector<std::string> missing;
    for (const KernelFlag& flag : kKernelFlags) {
      if ((granted_ & flag.bit) == 0) missing.emplace_back(flag.name);
    }
    if (missing.empty()) return;
    limits_.push_back(fmt::format("Windows does not record {}", fmt::join(missing, ", ")));
  }

  std::string name_;  // named like other sessions, so that sweep() finds it
  std::wstring wide_name_;
  KernelTraceFile file_;
  TRACEHANDLE handle_ = 0;
  bool running_ = false;
  ULONG granted_ = 0;  // the granted EnableFlags
  std::vector<std::string> limits_;
};

}  // namespace

std::unique_ptr<activity::Trace> start_kernel_trace(const activity::TraceOptions& options) {
  return std::make_unique<KernelTrace>(options);
}

Probe probe_kernel_trace() {
  if (const auto elsewhere = probe_elsewhere()) return *elsewhere;
  if (!is_administrator()) {
    return {.available = false,
            .reason = "this user may not record the kernel's events",
            .remedy = kElevateForKernel};
  }
  return {.available = true,
          .reason = kTriedWhere,
          .remedy = "check the limits that an explanation states"};
}

}  // namespace tailgate::etw
