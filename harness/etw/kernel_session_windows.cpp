#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "harness/etw/access_windows.h"
#include "harness/etw/kernel_flags.h"
#include "harness/etw/kernel_session.h"
#include "harness/etw/properties_windows.h"

namespace tailgate::etw {
namespace {

constexpr const char* kElevateForKernel =
    "run tailgate from an elevated prompt: the kernel's events are for administrators, who have "
    "SeSystemProfilePrivilege";

// Up to 256 MiB of buffers hold what the disk does not take at once.
constexpr ULONG kBufferKib = 1024;
constexpr ULONG kBuffersMin = 64;
constexpr ULONG kBuffersMax = 256;

Properties wanted_kernel_session(const KernelSessionOptions& options) {
  constexpr ULONG kSystemLogger = 0x02000000;  // EVENT_TRACE_SYSTEM_LOGGER_MODE
  constexpr ULONG kPerformanceCounter = 1;
  constexpr ULONG kCycleCounter = 3;
  Properties wanted;
  wanted->Wnode.ClientContext =
      options.clock == ClockKind::tsc ? kCycleCounter : kPerformanceCounter;
  wanted->BufferSize = kBufferKib;
  wanted->MinimumBuffers = kBuffersMin;
  wanted->MaximumBuffers = kBuffersMax;
  wanted->MaximumFileSize = options.max_file_mib;
  wanted->LogFileMode = EVENT_TRACE_FILE_MODE_SEQUENTIAL | kSystemLogger;
  wanted->EnableFlags = options.flags;
  wanted.set_file(options.file);
  return wanted;
}

// How often the kernel samples: a setting of the whole machine, in units of 100 ns.
class SampleInterval {
 public:
  // Sets it, and notes what Windows made of it. Throws Error when Windows does not say.
  explicit SampleInterval(double rate_hz) : before_(query()) {
    set(static_cast<ULONG>(std::clamp(kUnitsPerSecond / rate_hz, 1.0, kUnitsPerSecond)));
    now_ = query();
  }
  SampleInterval(const SampleInterval&) = delete;
  SampleInterval& operator=(const SampleInterval&) = delete;
  ~SampleInterval() {
    if (now_ != before_) set(before_);
  }

  double rate_hz() const { return kUnitsPerSecond / now_; }

 private:
  static constexpr double kUnitsPerSecond = 1e7;
  static constexpr ULONG kTimer = 0;  // ProfileTime, the source of SampledProfile

  // Windows may refuse: then the interval stays what it was, and query() says so.
  static void set(ULONG units) {
    TRACE_PROFILE_INTERVAL interval = {kTimer, units};
    api().trace_set_information(0, TraceSampledProfileIntervalInfo, &interval, sizeof interval);
  }

  static ULONG query() {
    TRACE_PROFILE_INTERVAL interval = {kTimer, 0};
    ULONG bytes = 0;
    const ULONG error = api().trace_query_information == nullptr
                            ? ERROR_CALL_NOT_IMPLEMENTED
                            : api().trace_query_information(0, TraceSampledProfileIntervalInfo,
                                                            &interval, sizeof interval, &bytes);
    if (error == ERROR_SUCCESS && interval.Interval != 0) return interval.Interval;
    throw windows_error(
        "TraceQueryInformation", "the interval of the sampled profile", error,
        error == ERROR_ACCESS_DENIED ? kElevateForKernel : "record without a sampled profile");
  }

  const ULONG before_;
  ULONG now_ = 0;
};

class SystemLogger : public KernelSession {
 public:
  explicit SystemLogger(const KernelSessionOptions& options)
      : name_(fmt::format("tailgate-{}-{}", GetCurrentProcessId(), options.label)),
        wide_name_(wide(name_)) {
    // If this fails, the error of StartTraceW says best what is missing.
    switch_on_system_profile_privilege();
    // Stops a stale session of an earlier process with the same pid.
    control(0, EVENT_TRACE_CONTROL_STOP);
    if (options.sample_hz > 0) interval_.emplace(options.sample_hz);
    Properties properties = wanted_kernel_session(options);
    check("StartTraceW", api().start_trace(&handle_, wide_name_.c_str(), &properties.properties()));
    running_ = true;
    try {
      query();
      if (!options.stacks.empty()) record_stacks(options.stacks);
    } catch (const Error&) {
      stop();
      throw;
    }
  }

  ~SystemLogger() override { stop(); }

  const std::string& name() const override { return name_; }
  std::uint32_t granted_flags() const override { return granted_flags_; }

  double granted_sample_hz() const override { return granted_sample_hz_; }

  KernelSessionCounts counts() override {
    if (running_) ask(EVENT_TRACE_CONTROL_QUERY);
    return counts_;
  }

  KernelSessionCounts stop() override {
    if (running_) ask(EVENT_TRACE_CONTROL_STOP);
    running_ = false;
    interval_.reset();
    return counts_;
  }

 private:
  ULONG control(TRACEHANDLE handle, ULONG code, Properties* answer = nullptr) const {
    Properties ignored;
    return api().control_trace(handle, wide_name_.c_str(),
                               &(answer == nullptr ? ignored : *answer).properties(), code);
  }

  void ask(ULONG code) {
    Properties answer;
    const ULONG error = control(handle_, code, &answer);
    counts_ = {.ended = error == kInstanceNotFound,
               .buffers_written = answer->BuffersWritten,
               .buffer_bytes = std::uint64_t{answer->BufferSize} * 1024,
               .events_lost = answer->EventsLost,
               .buffers_lost = answer->LogBuffersLost};
    if (error == ERROR_SUCCESS || counts_.ended) return;
    counts_.failure = windows_error("ControlTraceW", name_, error, "").what_failed();
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
    granted_flags_ = given->EnableFlags;
    if (interval_) granted_sample_hz_ = interval_->rate_hz();
  }

  // Windows does not say of which of these events it records stacks.
  void record_stacks(const std::vector<KernelStack>& stacks) {
    std::vector<CLASSIC_EVENT_ID> events(stacks.size());
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      static_assert(sizeof events[i].EventGuid == sizeof stacks[i].event_class);
      std::memcpy(&events[i].EventGuid, &stacks[i].event_class, sizeof events[i].EventGuid);
      events[i].Type = stacks[i].type;
    }
    const ULONG error =
        api().trace_set_information(handle_, TraceStackTracingInfo, events.data(),
                                    static_cast<ULONG>(events.size() * sizeof(CLASSIC_EVENT_ID)));
    if (error == ERROR_SUCCESS) return;
    throw windows_error("TraceSetInformation", name_, error,
                        "record without stacks, or with those of fewer events");
  }

  std::string name_;
  std::wstring wide_name_;
  std::optional<SampleInterval> interval_;
  double granted_sample_hz_ = 0;
  TRACEHANDLE handle_ = 0;
  bool running_ = false;
  std::uint32_t granted_flags_ = 0;
  KernelSessionCounts counts_;
};

}  // namespace

std::unique_ptr<KernelSession> start_kernel_session(const KernelSessionOptions& options) {
  return std::make_unique<SystemLogger>(options);
}

Probe probe_kernel_session() {
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
