#include "providers/etw/trace_control_windows.h"

#include <array>
#include <charconv>
#include <cstring>
#include <iterator>

#include "harness/etw/access_windows.h"
#include "harness/os/install_paths.h"
#include "harness/os/process.h"
#include "providers/etw/filter_data_windows.h"
#include "providers/etw/logman.h"
#include "providers/etw/options.h"
#include "providers/etw/retention.h"

namespace tailgate::etw {
namespace {

constexpr ULONG kTimeoutMs = 5000;  // EnableTraceEx2 waits until the providers have been notified

// The value for WNODE_HEADER::ClientContext.
ULONG clock_number(const Options& options) {
  const std::string& clock = options.text("clock");
  return clock == "qpc" ? 1 : clock == "system" ? 2 : 3;
}

// The value for EVENT_TRACE_PROPERTIES::LogFileMode.
ULONG mode_bits(const Options& options) {
  constexpr ULONG kPrivateInProcess = 0x00020000;  // EVENT_TRACE_PRIVATE_IN_PROC
  constexpr ULONG kCompressed = 0x04000000;        // EVENT_TRACE_COMPRESSED_MODE
  const std::string& mode = options.text("mode");
  const ULONG compressed = options.boolean("compressed") ? kCompressed : 0;
  if (mode == "circular") return EVENT_TRACE_FILE_MODE_CIRCULAR | compressed;
  if (mode == "new_file") return EVENT_TRACE_FILE_MODE_NEWFILE | compressed;
  if (mode == "realtime") return EVENT_TRACE_REAL_TIME_MODE;
  if (mode == "memory") return EVENT_TRACE_BUFFERING_MODE;
  if (mode == "private") {
    return EVENT_TRACE_PRIVATE_LOGGER_MODE | kPrivateInProcess | EVENT_TRACE_FILE_MODE_SEQUENTIAL;
  }
  return EVENT_TRACE_FILE_MODE_SEQUENTIAL | compressed;
}

// Whether the session writes to a file while it runs.
bool writes_file(const Options& options) {
  const std::string& mode = options.text("mode");
  return mode != "realtime" && mode != "memory";
}

Properties wanted(const TrialContext& context) {
  const Options& options = context.options;
  const auto number = [&](const char* name) { return static_cast<ULONG>(options.integer(name)); };
  const std::string& mode = options.text("mode");
  const bool capped = mode == "circular" || mode == "new_file" || mode == "capped";
  Properties wanted;
  wanted->Wnode.ClientContext = clock_number(options);
  // A private session has its provider's GUID; other sessions may have any.
  wanted->Wnode.Guid = native_guid(provider_guid(context));
  wanted->BufferSize = number("buffer_bytes") / 1024;
  wanted->MinimumBuffers = number("buffers_min_count");
  wanted->MaximumBuffers = number("buffers_max_count");
  wanted->FlushTimer = number("flush_timer_s");
  wanted->LogFileMode = mode_bits(options);
  wanted->MaximumFileSize =
      capped ? static_cast<ULONG>(options.integer("file_bytes") / (1 << 20)) : 0;
  if (writes_file(options)) wanted.set_file(trace_path(context));
  return wanted;
}

// The filters of an enable. Windows calls a provider back only in the processes of these programs;
// the name ends in a zero, which its size includes. Data of the controller's own is handed to the
// callback (Microsoft's documentation of EVENT_FILTER_DESCRIPTOR).
class EnableFilters {
 public:
  // processes: the option of that name. number: for the data; 0: none.
  EnableFilters(const std::string& processes, std::uint32_t number) {
    if (processes == "program") program_ = executable_path().filename().wstring();
    if (processes == "others") program_ = L"no-program-of-this-name.exe";
    constexpr ULONG kExecutableName = 0x80000008;  // EVENT_FILTER_TYPE_EXECUTABLE_NAME
    if (!program_.empty()) {
      add(program_.c_str(), (program_.size() + 1) * sizeof(wchar_t), kExecutableName);
    }
    if (number == 0) return;
    data_ = filter_data(number);
    add(data_.data(), data_.size(), EVENT_FILTER_TYPE_SCHEMATIZED);
  }
  EnableFilters(const EnableFilters&) = delete;
  EnableFilters& operator=(const EnableFilters&) = delete;

  // The parameters refer to this object from then on.
  void add_to(ENABLE_TRACE_PARAMETERS& parameters) {
    if (count_ == 0) return;
    parameters.EnableFilterDesc = descriptors_.data();
    parameters.FilterDescCount = count_;
  }

 private:
  void add(const void* data, std::size_t bytes, ULONG type) {
    descriptors_.at(count_++) = {
        .Ptr = reinterpret_cast<ULONGLONG>(data), .Size = static_cast<ULONG>(bytes), .Type = type};
  }

  std::wstring program_;
  FilterData data_ = {};
  std::array<EVENT_FILTER_DESCRIPTOR, 2> descriptors_ = {};
  ULONG count_ = 0;
};

}  // namespace

GUID native_guid(const etl::Guid& guid) {
  GUID result;
  static_assert(sizeof result == sizeof guid.bytes);
  std::memcpy(&result, guid.bytes.data(), sizeof result);
  return result;
}

std::string session_name(const TrialContext& context) {
  wchar_t host[MAX_COMPUTERNAME_LENGTH + 1] = {};
  DWORD units = static_cast<DWORD>(std::size(host));
  if (!GetComputerNameW(host, &units)) units = 0;
  return session_name(context, static_cast<int>(GetCurrentProcessId()),
                      narrow(std::wstring_view(host, units)));
}

bool is_of_dead_process(const std::string& session) {
  if (!session.starts_with(kSessionPrefix)) return false;
  int pid = 0;
  std::from_chars(session.data() + kSessionPrefix.size(), session.data() + session.size(), pid);
  return pid != 0 && !process_cpu_ns(pid);
}

TraceControl::TraceControl(const TrialContext& context, std::string name)
    : context_(context),
      text_(std::move(name)),
      name_(wide(text_)),
      by_logman_(context.options.text("controller") == "logman") {
  if (by_logman_) check_logman_can(context.options);
}

TraceControl::~TraceControl() {
  if (!running_) return;
  Properties ignored;
  api().control_trace(handle_, name_.c_str(), &ignored.properties(), EVENT_TRACE_CONTROL_STOP);
  if (by_logman_) try_logman({"delete", text_});
}

void TraceControl::check(const char* call, ULONG error) const {
  if (error == ERROR_NO_SYSTEM_RESOURCES) throw no_room_error(call);
  if (error != ERROR_SUCCESS) throw windows_error(call, text_, error, session_remedy(error));
}

void TraceControl::start() {
  const Options& options = context_.options;
  if (!options.text("keep_in").empty()) {
    remove_oldest_traces(options.text("keep_in"), kept_before(options));
  }
  Properties stale;  // of an earlier process with the same pid
  api().control_trace(0, name_.c_str(), &stale.properties(), EVENT_TRACE_CONTROL_STOP);
  if (by_logman_) {
    start_by_logman();
  } else {
    start_by_api();
  }
  running_ = true;
  try {
    if (!by_logman_) enable(session_selection(context_.options));
    query();
    check_granted();
  } catch (const Error&) {
    running_ = false;
    Properties ignored;
    api().control_trace(handle_, name_.c_str(), &ignored.properties(), EVENT_TRACE_CONTROL_STOP);
    if (by_logman_) try_logman({"delete", text_});
    throw;
  }
}

// What logman saves outlives the process that started it; so that of dead ones goes first.
void TraceControl::start_by_logman() {
  delete_dead_collectors();
  try_logman({"delete", text_});  // of an earlier process with the same pid
  logman(logman_create(context_, text_));
  try {
    logman({"start", text_});
  } catch (const Error&) {
    try_logman({"delete", text_});
    throw;
  }
}

void TraceControl::start_by_api() {
  Properties properties = wanted(context_);
  check("StartTraceW", api().start_trace(&handle_, name_.c_str(), &properties.properties()));
}

void TraceControl::enable(const Selection& selection) {
  ENABLE_TRACE_PARAMETERS parameters = {};
  parameters.Version = 2;           // ENABLE_TRACE_PARAMETERS_VERSION_2
  constexpr ULONG kStackTrace = 4;  // EVENT_ENABLE_PROPERTY_STACK_TRACE
  if (context_.options.boolean("stack")) parameters.EnableProperty = kStackTrace;
  const std::uint32_t number = sends_all_commands(context_.options) ? next_number_++ : 0;
  EnableFilters filters(context_.options.text("processes"), number);
  filters.add_to(parameters);
  const GUID guid = native_guid(provider_guid(context_));
  check("EnableTraceEx2",
        api().enable_trace(handle_, &guid, EVENT_CONTROL_CODE_ENABLE_PROVIDER, selection.level,
                           selection.keyword, 0, kTimeoutMs, &parameters));
  sent_.push_back({.code = EnableCode::enable,
                   .level = selection.level,
                   .any = selection.keyword,
                   .number = number,
                   .sent_ns = context_.clock.now_ns()});
}

void TraceControl::disable() {
  const GUID guid = native_guid(provider_guid(context_));
  check("EnableTraceEx2", api().enable_trace(handle_, &guid, EVENT_CONTROL_CODE_DISABLE_PROVIDER, 0,
                                             0, 0, kTimeoutMs, nullptr));
  sent_.push_back({.code = EnableCode::disable, .sent_ns = context_.clock.now_ns()});
}

void TraceControl::request_state() {
  const Selection selection = session_selection(context_.options);
  const GUID guid = native_guid(provider_guid(context_));
  check("EnableTraceEx2",
        api().enable_trace(handle_, &guid, EVENT_CONTROL_CODE_CAPTURE_STATE, selection.level,
                           selection.keyword, 0, kTimeoutMs, nullptr));
  sent_.push_back({.code = EnableCode::capture_state,
                   .level = selection.level,
                   .any = selection.keyword,
                   .sent_ns = context_.clock.now_ns()});
}

void TraceControl::listen(bool on, SwitchWay way) {
  if (by_logman_) {
    throw Error("a session that logman started is not switched", "use controller=api");
  }
  if (on) {
    enable(session_selection(context_.options));
    if (sends_all_commands(context_.options)) request_state();
    return;
  }
  const Selection written = event_selection();
  switch (way) {
    case SwitchWay::level:
      return enable({.level = static_cast<std::uint8_t>(written.level - 1),
                     .keyword = session_selection(context_.options).keyword});
    case SwitchWay::keyword:
      return enable(
          {.level = session_selection(context_.options).level, .keyword = written.keyword << 1});
    case SwitchWay::session:
      return disable();
  }
}

// A real session has buffers; a stub's has none.
void TraceControl::query() {
  given_ = Properties();
  check("ControlTraceW", api().control_trace(handle_, name_.c_str(), &given_.properties(),
                                             EVENT_TRACE_CONTROL_QUERY));
  if (given_->NumberOfBuffers > 0) return;
  throw Error(fmt::format("session '{}' has no buffers: nothing is traced", text_),
              "run on Windows");
}

// Numbers of buffers and their size are Windows' to choose; the result tells what it chose.
void TraceControl::check_granted() const {
  const Properties asked = wanted(context_);
  const auto demand = [this](const char* setting, const auto& asks, const auto& given) {
    if (asks == given) return;
    throw Error(fmt::format("session '{}' has {} = {} instead of {}", text_, setting, given, asks),
                by_logman_ ? "use controller=api: this logman drops what it was asked for"
                           : "ask for a setting that this Windows grants");
  };
  constexpr ULONG kModes = EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_FILE_MODE_APPEND |
                           EVENT_TRACE_FILE_MODE_NEWFILE | EVENT_TRACE_REAL_TIME_MODE |
                           EVENT_TRACE_BUFFERING_MODE;
  demand("log_file_mode", fmt::format("{:#x}", asked->LogFileMode & kModes),
         fmt::format("{:#x}", given_->LogFileMode & kModes));
  if (asked->FlushTimer != 0) demand("flush_timer_s", asked->FlushTimer, given_->FlushTimer);
  if (asked->MaximumFileSize != 0) {
    demand("file_bytes", std::uint64_t{asked->MaximumFileSize} << 20,
           std::uint64_t{given_->MaximumFileSize} << 20);
  }
  // logman may append to the name that it is given.
  if (by_logman_ && writes_file(context_.options)) {
    demand("file", trace_path(context_).filename().string(),
           std::filesystem::path(given_.file()).filename().string());
  }
}

std::vector<std::pair<std::string, std::string>> TraceControl::granted() const {
  const EVENT_TRACE_PROPERTIES& given = given_.properties();
  std::vector<std::pair<std::string, std::string>> granted = {
      {"session", text_},
      {"buffer_bytes", std::to_string(std::uint64_t{given.BufferSize} * 1024)},
      {"buffers_min_count", std::to_string(given.MinimumBuffers)},
      {"buffers_max_count", std::to_string(given.MaximumBuffers)},
      {"buffers_count", std::to_string(given.NumberOfBuffers)},
      {"flush_timer_s", std::to_string(given.FlushTimer)},
      {"log_file_mode", fmt::format("{:#x}", given.LogFileMode)},
      {"file_bytes", std::to_string(std::uint64_t{given.MaximumFileSize} << 20)}};
  if (is_capped(context_.options)) {
    granted.emplace_back("cap_bytes", std::to_string(std::uint64_t{given.MaximumFileSize} << 20));
  }
  return granted;
}

void TraceControl::stop() {
  if (!running_) return;
  running_ = false;
  const Properties ended = by_logman_ ? stop_by_logman() : stop_by_api();
  events_lost_ = ended->EventsLost;
  if (ended->LogBuffersLost > 0) {
    throw Error(fmt::format("session '{}' could not write {} buffers of events to its file", text_,
                            ended->LogBuffersLost),
                "give it more or larger buffers or a faster disk; events are missing");
  }
  if (ended->RealTimeBuffersLost > 0) {
    throw Error(fmt::format("session '{}' could not deliver {} buffers of events to the consumer",
                            text_, ended->RealTimeBuffersLost),
                "lower the rate, or give the consumer a processor; events are missing");
  }
}

Properties TraceControl::stop_by_api() {
  if (context_.options.text("mode") == "memory") {
    Properties flush;
    flush.set_file(trace_path(context_));
    check("ControlTraceW",
          api().control_trace(handle_, nullptr, &flush.properties(), EVENT_TRACE_CONTROL_FLUSH));
  }
  Properties ended;
  const ULONG error =
      api().control_trace(handle_, nullptr, &ended.properties(), EVENT_TRACE_CONTROL_STOP);
  // A sequential file that has reached its size may have ended its session.
  if (error == kInstanceNotFound && context_.options.text("mode") == "capped") return given_;
  if (error == kInstanceNotFound) {
    throw windows_error("ControlTraceW", text_, error,
                        "the session was stopped by another program or for want of disk space; "
                        "events are missing");
  }
  check("ControlTraceW", error);
  return ended;
}

// logman does not report losses, so the session is queried before.
Properties TraceControl::stop_by_logman() {
  Properties ended;
  const ULONG error =
      api().control_trace(0, name_.c_str(), &ended.properties(), EVENT_TRACE_CONTROL_QUERY);
  logman({"stop", text_});
  logman({"delete", text_});
  check("ControlTraceW", error);
  return ended;
}

void TraceControl::delete_dead_collectors() const {
  std::string listed;
  try {
    listed = logman({"query"});
  } catch (const Error&) {
    return;  // what is asked of logman next tells the error
  }
  for (const std::string& name : dead_collectors(listed, is_of_dead_process)) {
    try_logman({"delete", name});
  }
}

// Where nothing depends on the outcome.
void TraceControl::try_logman(const std::vector<std::string>& arguments) const {
  try {
    logman(arguments);
  } catch (const Error&) {
  }
}

std::string TraceControl::logman(const std::vector<std::string>& arguments) const {
  return run_logman(arguments, std::chrono::seconds(context_.options.integer("logman_timeout_s")),
                    context_.directory / "logman.log");
}

std::vector<Loss> TraceControl::losses() const {
  if (events_lost_ == 0) return {};
  return {{"EventsLost", events_lost_}};
}

}  // namespace tailgate::etw
