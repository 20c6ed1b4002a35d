#include <fmt/format.h>

#include <optional>

#include "harness/os/wine_windows.h"
#include "providers/eventlog/api_windows.h"
#include "providers/eventlog/options.h"
#include "providers/eventlog/registration_windows.h"
#include "providers/eventlog/roles.h"

namespace tailgate::eventlog {
namespace {

struct ServiceCloser {
  void operator()(SC_HANDLE handle) const { CloseServiceHandle(handle); }
};
using ServiceHandle = std::unique_ptr<SC_HANDLE__, ServiceCloser>;

// The process id of the service EventLog; 0 when it does not run.
DWORD service_process() {
  const ServiceHandle manager(OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT));
  if (!manager) return 0;
  const ServiceHandle service(OpenServiceW(manager.get(), L"EventLog", SERVICE_QUERY_STATUS));
  if (!service) return 0;
  SERVICE_STATUS_PROCESS status = {};
  DWORD needed = 0;
  QueryServiceStatusEx(service.get(), SC_STATUS_PROCESS_INFO, reinterpret_cast<BYTE*>(&status),
                       sizeof status, &needed);
  return status.dwProcessId;
}

// ReportEvent returns after the service has the event, so stop() has nothing to flush.
class EventlogSession : public Session {
 public:
  explicit EventlogSession(const TrialContext& context)
      : source_(source_name(context)),
        log_(log_name(context.options)),
        wanted_{.max_bytes = static_cast<std::uint32_t>(context.options.integer("log_bytes")),
                .overwrites = context.options.text("when_full") == "overwrite"} {}

  void start() override {
    if (log_ == kOwnLog) registration_.emplace(source_, wanted_);
  }

  std::vector<std::pair<std::string, std::string>> granted() const override {
    std::vector<std::pair<std::string, std::string>> granted = {{"log", log_}, {"source", source_}};
    if (!registration_) return granted;
    const LogSettings settings = registration_->settings();
    granted.emplace_back("log_bytes", std::to_string(settings.max_bytes));
    granted.emplace_back("when_full", settings.overwrites ? "overwrite" : "refuse");
    return granted;
  }

  std::vector<DaemonProcess> daemons() const override {
    const DWORD process = stands_in() ? 0 : service_process();
    if (process == 0) return {};
    return {{"EventLog", static_cast<int>(process)}};
  }

  // Nothing to do: the consumer reads the log after stop(). The destructor removes the log.
  void stop() override {}

 private:
  std::string source_;
  std::string log_;
  LogSettings wanted_;
  std::optional<Registration> registration_;
};

}  // namespace

Probe probe(const Options& options) {
  if (stands_in()) {
    return {.available = true,
            .reason = "a stand-in library for tests replaces Windows' Event Log",
            .remedy = std::string("unset ") + kLibraryVariable};
  }
  const std::string wine = wine_version();
  if (!wine.empty()) {
    return {.available = false,
            .reason = fmt::format("Wine {} has no Event Log: ReportEvent succeeds, nothing is "
                                  "kept",
                                  wine),
            .remedy = "run on Windows"};
  }
  if (service_process() == 0) {
    return {.available = false,
            .reason = "the service EventLog does not run",
            .remedy = "start it: net start EventLog"};
  }
  if (log_name(options) == kOwnLog && !may_register()) {
    return {.available = false,
            .reason = "this user may not register a log of its own",
            .remedy = "run tailgate from an elevated prompt, or use eventlog:log=application"};
  }
  return {.available = true,
          .reason =
              "tested with a stand-in library only, not yet on a real "
              "Windows machine",
          .remedy = "check that a result's ledger is balanced before you use its figures"};
}

void sweep() {
  remove_dead_registrations();
}

std::unique_ptr<Session> make_session(const TrialContext& context) {
  return std::make_unique<EventlogSession>(context);
}

}  // namespace tailgate::eventlog
