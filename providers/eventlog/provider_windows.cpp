#include <atomic>
#include <vector>

#include "providers/eventlog/api_windows.h"
#include "providers/eventlog/options.h"
#include "providers/eventlog/roles.h"

namespace tailgate::eventlog {
namespace {

constexpr DWORD kEventId = 1;

// Refusals, in the order of refusal_causes().
constexpr EmitStatus kClosed = 1;
constexpr EmitStatus kLogFull = 2;
constexpr EmitStatus kServiceStopped = 3;
constexpr EmitStatus kAccessDenied = 4;
constexpr EmitStatus kTooLarge = 5;
constexpr EmitStatus kOther = 6;

EmitStatus refusal_of(DWORD error) {
  switch (error) {
    case ERROR_LOG_FILE_FULL:
    case ERROR_DISK_FULL:
      return kLogFull;
    case ERROR_EVENTLOG_CANT_START:
    case RPC_S_SERVER_UNAVAILABLE:
    case RPC_S_SERVER_TOO_BUSY:
    case RPC_S_UNKNOWN_IF:
    case ERROR_INVALID_HANDLE:  // the service was restarted
      return kServiceStopped;
    case ERROR_ACCESS_DENIED:
      return kAccessDenied;
    case RPC_X_BAD_STUB_DATA:
    case ERROR_INSUFFICIENT_BUFFER:
      return kTooLarge;
    default:
      return kOther;
  }
}

class EventlogProvider : public Provider {
 public:
  explicit EventlogProvider(const TrialContext& context) {
    const std::string source = source_name(context);
    handle_ = api().register_source(nullptr, wide(source).c_str());
    if (handle_ == nullptr) {
      throw windows_error("RegisterEventSourceW", source, GetLastError(),
                          "start the service EventLog: net start EventLog");
    }
  }
  ~EventlogProvider() override { close(); }

  // The event's bytes are the record's binary data, so nothing is formatted.
  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    if (closed_.load(std::memory_order_relaxed)) return kClosed;
    const BOOL reported = api_.report_event(handle_, EVENTLOG_INFORMATION_TYPE, 0, kEventId,
                                            nullptr, 0, static_cast<DWORD>(event.size()), nullptr,
                                            const_cast<std::byte*>(event.data()));
    return reported != FALSE ? kAccepted : refusal_of(GetLastError());
  }

  std::vector<std::string> refusal_causes() const override {
    return {"closed", "log full", "service stopped", "access denied", "too large", "other error"};
  }

  void close() override {
    if (closed_.exchange(true)) return;
    api_.deregister_source(handle_);
  }

 private:
  const Api& api_ = api();
  HANDLE handle_ = nullptr;
  std::atomic<bool> closed_ = false;
};

}  // namespace

std::unique_ptr<Provider> open_provider(const TrialContext& context) {
  return std::make_unique<EventlogProvider>(context);
}

}  // namespace tailgate::eventlog
