// Reads the trial's events from a subscription while the log grows. At the end, a query fetches the
// records after the last one that the subscription delivered.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "providers/eventlog/api_windows.h"
#include "providers/eventlog/options.h"
#include "providers/eventlog/roles.h"

namespace tailgate::eventlog {
namespace {

constexpr DWORD kEventsAPoll = 256;

class EvtHandle {
 public:
  EvtHandle() = default;
  explicit EvtHandle(EVT_HANDLE handle) : handle_(handle) {}
  ~EvtHandle() {
    if (handle_ != nullptr) api().close(handle_);
  }
  EvtHandle(EvtHandle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  EvtHandle& operator=(EvtHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  EVT_HANDLE get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  EVT_HANDLE handle_ = nullptr;
};

class EventlogConsumer : public Consumer {
 public:
  explicit EventlogConsumer(const TrialContext& context)
      : log_(log_name(context.options)),
        condition_(fmt::format("Provider[@Name='{}']", source_name(context))),
        changed_(CreateEventW(nullptr, TRUE, TRUE, nullptr)) {
    const wchar_t* paths[] = {L"Event/System/EventRecordID", L"Event/EventData/Binary"};
    values_ = EvtHandle(api().create_render_context(static_cast<DWORD>(std::size(paths)), paths,
                                                    EvtRenderContextValues));
    check("EvtCreateRenderContext", static_cast<bool>(values_));
    subscription_ =
        EvtHandle(api().subscribe(nullptr, changed_.get(), wide(log_).c_str(),
                                  wide(fmt::format("*[System[{}]]", condition_)).c_str(), nullptr,
                                  nullptr, nullptr, EvtSubscribeStartAtOldestRecord));
    check("EvtSubscribe", static_cast<bool>(subscription_));
  }

  std::size_t poll(EventVisitor& visitor) override {
    if (WaitForSingleObject(changed_.get(), 0) != WAIT_OBJECT_0) return 0;
    const std::size_t events = read(subscription_.get(), visitor);
    if (events == 0) ResetEvent(changed_.get());
    return events;
  }

  // A subscription may lag behind the log; a query sees every record.
  void finish(EventVisitor& visitor) override {
    const std::string wanted =
        fmt::format("*[System[{} and EventRecordID > {}]]", condition_, last_record_);
    const EvtHandle rest(api().query(nullptr, wide(log_).c_str(), wide(wanted).c_str(),
                                     EvtQueryChannelPath | EvtQueryForwardDirection));
    check("EvtQuery", static_cast<bool>(rest));
    while (read(rest.get(), visitor) > 0) {
    }
  }

 private:
  void check(const char* call, bool succeeded) const {
    if (succeeded) return;
    throw windows_error(call, log_, GetLastError(),
                        "start the service EventLog (net start EventLog), and see whether this "
                        "user may read the log");
  }

  // Reads the next events of a result set; returns 0 when there are none now.
  std::size_t read(EVT_HANDLE results, EventVisitor& visitor) {
    std::array<EVT_HANDLE, kEventsAPoll> handles = {};
    DWORD count = 0;
    if (api().next(results, kEventsAPoll, handles.data(), 0, 0, &count) == FALSE) {
      const DWORD error = GetLastError();
      if (error == ERROR_NO_MORE_ITEMS || error == ERROR_TIMEOUT) return 0;
      throw windows_error("EvtNext", log_, error, "see whether the service EventLog runs");
    }
    std::vector<EvtHandle> events;
    for (DWORD i = 0; i < count; ++i) events.emplace_back(handles[i]);
    for (const EvtHandle& event : events) hand_over(event.get(), visitor);
    return count;
  }

  void hand_over(EVT_HANDLE event, EventVisitor& visitor) {
    DWORD used = 0;
    DWORD values = 0;
    const auto render = [&] {
      return api().render(values_.get(), event, EvtRenderEventValues,
                          static_cast<DWORD>(rendered_.size()), rendered_.data(), &used, &values);
    };
    if (render() == FALSE && GetLastError() == ERROR_INSUFFICIENT_BUFFER) {
      rendered_.resize(used);
      check("EvtRender", render() != FALSE);
    }
    constexpr DWORD kValues = 2;
    if (values != kValues) return visitor.damage(1);
    const auto* const value = reinterpret_cast<const EVT_VARIANT*>(rendered_.data());
    const std::uint64_t record = value[0].UInt64Val;
    if (value[0].Type != EvtVarTypeUInt64 || record <= last_record_) return;  // already handed over
    last_record_ = record;
    if (value[1].Type != EvtVarTypeBinary) return visitor.damage(1);
    visitor.event(std::as_bytes(std::span(value[1].BinaryVal, value[1].Count)));
  }

  std::string log_;
  std::string condition_;  // XPath: selects the events of this trial
  Handle changed_;         // signalled when the subscription has events
  EvtHandle values_;
  EvtHandle subscription_;
  std::vector<std::byte> rendered_ = std::vector<std::byte>(4096);
  std::uint64_t last_record_ = 0;
};

}  // namespace

std::unique_ptr<Consumer> open_consumer(const TrialContext& context) {
  return std::make_unique<EventlogConsumer>(context);
}

}  // namespace tailgate::eventlog
