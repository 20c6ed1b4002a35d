#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "harness/base/process.h"
#include "harness/base/wine_windows.h"
#include "providers/etw/api_windows.h"
#include "providers/etw/options.h"
#include "providers/etw/roles.h"

namespace tailgate::etw {
namespace {

constexpr std::string_view kNamePrefix = "tailgate-";
constexpr std::size_t kNameUnits = 1024;  // room for each of the two names, as Windows advises
constexpr const char* kElevate =
    "run tailgate from an elevated prompt, or as a member of the group Performance Log Users";

// The structure with room for the names behind it, that StartTraceW and ControlTraceW take.
class Properties {
 public:
  Properties() {
    properties().Wnode.BufferSize = sizeof storage_;
    properties().Wnode.Flags = WNODE_FLAG_TRACED_GUID;
    properties().LoggerNameOffset = sizeof(EVENT_TRACE_PROPERTIES);
    properties().LogFileNameOffset =
        static_cast<ULONG>(sizeof(EVENT_TRACE_PROPERTIES) + kNameUnits * sizeof(wchar_t));
  }

  EVENT_TRACE_PROPERTIES& properties() { return storage_.properties; }
  const EVENT_TRACE_PROPERTIES& properties() const { return storage_.properties; }
  EVENT_TRACE_PROPERTIES* operator->() { return &storage_.properties; }
  const EVENT_TRACE_PROPERTIES* operator->() const { return &storage_.properties; }

  // Throws Error when it is too long.
  void set_file(const std::filesystem::path& path) {
    const std::wstring& text = path.wstring();
    if (text.size() >= kNameUnits) {
      throw Error(fmt::format("'{}' is too long for a session's file", path.string()),
                  "use a shorter --scratch folder");
    }
    text.copy(storage_.file, text.size());
  }
  const wchar_t* name() const { return storage_.name; }

 private:
  struct {
    EVENT_TRACE_PROPERTIES properties;
    wchar_t name[kNameUnits];
    wchar_t file[kNameUnits];
  } storage_ = {};
};

// The name says whose session it is, so that sweep() knows those of dead processes.
std::string session_name(const TrialContext& context) {
  return fmt::format("{}{}-{}", kNamePrefix, GetCurrentProcessId(),
                     etl::to_text(provider_guid(context)));
}

std::string remedy_for(ULONG error) {
  switch (error) {
    case ERROR_ACCESS_DENIED:
      return kElevate;
    case ERROR_NO_SYSTEM_RESOURCES:
      return "stop other sessions (logman query -ets), of which Windows runs 64";
    case ERROR_DISK_FULL:
      return "free disk space, or use another --scratch folder";
    case ERROR_BAD_PATHNAME:
    case ERROR_SHARING_VIOLATION:
      return "use another --scratch folder";
    case ERROR_ALREADY_EXISTS:
      return "stop the session of that name: logman stop NAME -ets";
    default:
      return "see providers/etw/README.md";
  }
}

void check(const char* call, const std::string& target, ULONG error) {
  if (error != ERROR_SUCCESS) throw windows_error(call, target, error, remedy_for(error));
}

ULONG clock_number(const Options& options) {
  const std::string& clock = options.text("clock");
  return clock == "qpc" ? 1 : clock == "system" ? 2 : 3;  // WNODE_HEADER::ClientContext
}

Properties wanted(const TrialContext& context) {
  const Options& options = context.options;
  const auto number = [&](const char* name) { return static_cast<ULONG>(options.integer(name)); };
  const bool circular = options.text("mode") == "circular";
  Properties wanted;
  wanted->Wnode.ClientContext = clock_number(options);
  std::memcpy(&wanted->Wnode.Guid, provider_guid(context).bytes.data(), sizeof(GUID));
  wanted->BufferSize = number("buffer_bytes") / 1024;
  wanted->MinimumBuffers = number("buffers_min_count");
  wanted->MaximumBuffers = number("buffers_max_count");
  wanted->FlushTimer = number("flush_timer_s");
  wanted->LogFileMode =
      circular ? EVENT_TRACE_FILE_MODE_CIRCULAR : EVENT_TRACE_FILE_MODE_SEQUENTIAL;
  constexpr ULONG kCompressedMode = 0x04000000;  // EVENT_TRACE_COMPRESSED_MODE
  if (options.boolean("compressed")) wanted->LogFileMode |= kCompressedMode;
  wanted->MaximumFileSize =
      circular ? static_cast<ULONG>(options.integer("file_bytes") / (1 << 20)) : 0;
  wanted.set_file(trace_path(context));
  return wanted;
}

class EtwSession : public Session {
 public:
  explicit EtwSession(const TrialContext& context)
      : context_(context),
        text_(session_name(context)),
        name_(wide(text_)),
        listened_(context.options.text("mode") != "unlistened") {}
  ~EtwSession() override {
    if (handle_ == 0) return;
    Properties ignored;
    api().control_trace(handle_, nullptr, &ignored.properties(), EVENT_TRACE_CONTROL_STOP);
  }

  void start() override {
    if (!listened_) return;
    Properties properties = wanted(context_);
    ULONG error = api().start_trace(&handle_, name_.c_str(), &properties.properties());
    if (error == ERROR_ALREADY_EXISTS) {  // of a process that had our number before us
      Properties stale;
      api().control_trace(0, name_.c_str(), &stale.properties(), EVENT_TRACE_CONTROL_STOP);
      properties = wanted(context_);
      error = api().start_trace(&handle_, name_.c_str(), &properties.properties());
    }
    if (error != ERROR_SUCCESS) handle_ = 0;
    check("StartTraceW", text_ + ", " + trace_path(context_).string(), error);
    try {
      enable();
      query();
    } catch (const Error&) {
      stop();
      throw;
    }
  }

  std::vector<std::pair<std::string, std::string>> granted() const override {
    if (!listened_) return {};
    const EVENT_TRACE_PROPERTIES& given = given_.properties();
    return {{"session", text_},
            {"buffer_bytes", std::to_string(std::uint64_t{given.BufferSize} * 1024)},
            {"buffers_min_count", std::to_string(given.MinimumBuffers)},
            {"buffers_max_count", std::to_string(given.MaximumBuffers)},
            {"buffers_count", std::to_string(given.NumberOfBuffers)},
            {"flush_timer_s", std::to_string(given.FlushTimer)},
            {"log_file_mode", fmt::format("{:#x}", given.LogFileMode)},
            {"file_bytes", std::to_string(std::uint64_t{given.MaximumFileSize} << 20)}};
  }

  void stop() override {
    if (handle_ == 0) return;
    Properties ended;
    const TRACEHANDLE handle = std::exchange(handle_, 0);
    const ULONG error =
        api().control_trace(handle, nullptr, &ended.properties(), EVENT_TRACE_CONTROL_STOP);
    constexpr ULONG kInstanceNotFound = 4201;  // ERROR_WMI_INSTANCE_NOT_FOUND
    if (error == kInstanceNotFound) {
      throw windows_error("ControlTraceW", text_, error,
                          "the session was stopped by another program or for want of disk space; "
                          "events are missing");
    }
    check("ControlTraceW", text_, error);
    events_lost_ = ended->EventsLost;
    if (ended->LogBuffersLost == 0) return;
    throw Error(fmt::format("session '{}' could not write {} buffers of events to its file", text_,
                            ended->LogBuffersLost),
                "give it more or larger buffers or a faster disk; events are missing");
  }

  std::vector<Loss> losses() const override {
    if (events_lost_ == 0) return {};
    return {{"EventsLost", events_lost_}};
  }

 private:
  void enable() {
    ENABLE_TRACE_PARAMETERS parameters = {};
    parameters.Version = 2;           // ENABLE_TRACE_PARAMETERS_VERSION_2
    constexpr ULONG kStackTrace = 4;  // EVENT_ENABLE_PROPERTY_STACK_TRACE
    if (context_.options.boolean("stack")) parameters.EnableProperty = kStackTrace;
    const Selection selection = session_selection(context_.options);
    GUID guid;
    std::memcpy(&guid, provider_guid(context_).bytes.data(), sizeof guid);
    constexpr ULONG kTimeoutMs = 5000;  // until the providers that are there have been told
    check("EnableTraceEx2", text_,
          api().enable_trace(handle_, &guid, EVENT_CONTROL_CODE_ENABLE_PROVIDER, selection.level,
                             selection.keyword, 0, kTimeoutMs, &parameters));
  }

  // A session that runs has buffers: one without is a stub's.
  void query() {
    given_ = Properties();
    check("ControlTraceW", text_,
          api().control_trace(handle_, nullptr, &given_.properties(), EVENT_TRACE_CONTROL_QUERY));
    if (given_->NumberOfBuffers > 0) return;
    throw Error(fmt::format("session '{}' has no buffers: nothing is traced", text_),
                "run on Windows");
  }

  TrialContext context_;
  std::string text_;  // the session's name
  std::wstring name_;
  bool listened_;
  TRACEHANDLE handle_ = 0;
  Properties given_;
  std::uint64_t events_lost_ = 0;
};

// Whether Windows would let this process start a session, by the groups of its user.
bool may_start_sessions() {
  const auto member = [](std::initializer_list<DWORD> parts) {
    SID_IDENTIFIER_AUTHORITY authority = SECURITY_NT_AUTHORITY;
    PSID group = nullptr;
    const DWORD* part = parts.begin();
    if (AllocateAndInitializeSid(&authority, 2, part[0], part[1], 0, 0, 0, 0, 0, 0, &group) == 0) {
      return false;
    }
    BOOL is_member = FALSE;
    CheckTokenMembership(nullptr, group, &is_member);
    FreeSid(group);
    return is_member != FALSE;
  };
  constexpr DWORD kPerformanceLogUsers = 559;
  return member({SECURITY_BUILTIN_DOMAIN_RID, DOMAIN_ALIAS_RID_ADMINS}) ||
         member({SECURITY_BUILTIN_DOMAIN_RID, kPerformanceLogUsers});
}

// The number in "tailgate-1234-…", or 0.
int pid_of(const std::string& name) {
  int pid = 0;
  if (!name.starts_with(kNamePrefix)) return pid;
  std::from_chars(name.data() + kNamePrefix.size(), name.data() + name.size(), pid);
  return pid;
}

}  // namespace

Probe probe() {
  if (stands_in()) {
    return {.available = true,
            .reason = "a library of tests stands in for Windows' event tracing",
            .remedy = std::string("unset ") + kLibraryVariable};
  }
  const std::string wine = wine_version();
  if (!wine.empty()) {
    return {.available = false,
            .reason =
                fmt::format("Wine {} has no event tracing: its calls succeed and do nothing", wine),
            .remedy = "run on Windows"};
  }
  if (!may_start_sessions()) {
    return {.available = false,
            .reason = "this user may not start tracing sessions",
            .remedy = kElevate};
  }
  return {.available = true,
          .reason =
              "tried with a library that stands in for Windows only, not yet on a real "
              "Windows machine",
          .remedy = "check that a result's ledger is balanced before you use its figures"};
}

// Sessions live on when the process that started them dies.
void sweep() {
  constexpr ULONG kMost = 64;
  std::vector<Properties> sessions(kMost);
  EVENT_TRACE_PROPERTIES* pointers[kMost];
  for (ULONG i = 0; i < kMost; ++i) pointers[i] = &sessions[i].properties();
  ULONG count = 0;
  if (api().query_all_traces(pointers, kMost, &count) != ERROR_SUCCESS) return;
  for (ULONG i = 0; i < count && i < kMost; ++i) {
    const int pid = pid_of(narrow(sessions[i].name()));
    if (pid == 0 || process_cpu_ns(pid)) continue;
    Properties ended;
    api().control_trace(0, sessions[i].name(), &ended.properties(), EVENT_TRACE_CONTROL_STOP);
  }
}

std::unique_ptr<Session> make_session(const TrialContext& context) {
  return std::make_unique<EtwSession>(context);
}

}  // namespace tailgate::etw
