// Receives events from a real-time session, on a thread in which Windows calls back.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "harness/etw/access_windows.h"
#include "harness/etw/api_windows.h"
#include "providers/etw/event_field.h"
#include "providers/etw/options.h"
#include "providers/etw/roles.h"
#include "providers/etw/trace_control_windows.h"

namespace tailgate::etw {
namespace {

constexpr USHORT kMetadataItem = 11;  // EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL
// After the session has stopped, Windows delivers the remaining events and then ends ProcessTrace.
constexpr std::chrono::seconds kLastDelivery{20};

class LiveConsumer : public Consumer {
 public:
  explicit LiveConsumer(const TrialContext& context) : guid_(native_guid(provider_guid(context))) {
    const char* session = std::getenv(kSessionVariable);
    name_ = wide(session == nullptr ? "" : session);
    EVENT_TRACE_LOGFILEW source = {};
    source.LoggerName = name_.data();
    source.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME | PROCESS_TRACE_MODE_EVENT_RECORD |
                              PROCESS_TRACE_MODE_RAW_TIMESTAMP;
    source.EventRecordCallback = on_event;
    source.Context = this;
    handle_ = api().open_trace(&source);
    if (handle_ == kNoTrace) {
      const DWORD error = GetLastError();
      throw windows_error("OpenTraceW", narrow(name_), error,
                          error == ERROR_ACCESS_DENIED ? kElevate : "see providers/etw/README.md");
    }
    reader_ = std::thread([this] {
      result_ = api().process_trace(&handle_, 1, nullptr, nullptr);
      ended_ = true;
    });
  }

  ~LiveConsumer() override {
    close();
    reader_.join();
  }

  std::size_t poll(EventVisitor& visitor) override {
    taken_.bytes.clear();
    taken_.sizes.clear();
    {
      const std::lock_guard lock(mutex_);
      std::swap(taken_, waiting_);
    }
    std::size_t at = 0;
    for (const std::size_t size : taken_.sizes) {
      visitor.event(std::span(taken_.bytes).subspan(at, size));
      at += size;
    }
    return taken_.sizes.size();
  }

  void finish(EventVisitor& visitor) override {
    const auto give_up = std::chrono::steady_clock::now() + kLastDelivery;
    while (!ended_ && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      poll(visitor);
    }
    close();
    while (poll(visitor) > 0) {
    }
    if (damaged_bytes_ > 0) visitor.damage(damaged_bytes_.exchange(0));
    if (ended_ && result_ != ERROR_SUCCESS && result_ != ERROR_CANCELLED) {
      throw windows_error("ProcessTrace", narrow(name_), result_, "see providers/etw/README.md");
    }
  }

 private:
  static constexpr TRACEHANDLE kNoTrace = ~TRACEHANDLE{0};  // INVALID_PROCESSTRACE_HANDLE

  // Events one after another, and the size of each.
  struct Batch {
    std::vector<std::byte> bytes;
    std::vector<std::size_t> sizes;
  };

  static void WINAPI on_event(PEVENT_RECORD record) {
    static_cast<LiveConsumer*>(record->UserContext)->take(*record);
  }

  // The first event is the session's own header, from another provider.
  void take(const EVENT_RECORD& record) {
    if (std::memcmp(&record.EventHeader.ProviderId, &guid_, sizeof guid_) != 0) return;
    etl::Bytes metadata;
    for (USHORT i = 0; i < record.ExtendedDataCount; ++i) {
      const EVENT_HEADER_EXTENDED_DATA_ITEM& item = record.ExtendedData[i];
      if (item.ExtType != kMetadataItem) continue;
      metadata = {reinterpret_cast<const std::uint8_t*>(item.DataPtr), item.DataSize};
    }
    const etl::Bytes payload(static_cast<const std::uint8_t*>(record.UserData),
                             record.UserDataLength);
    const std::optional<etl::Bytes> bytes = field_.find(metadata, payload);
    if (!bytes) {
      damaged_bytes_ += payload.size();
      return;
    }
    const auto event = std::as_bytes(*bytes);
    const std::lock_guard lock(mutex_);
    waiting_.bytes.insert(waiting_.bytes.end(), event.begin(), event.end());
    waiting_.sizes.push_back(event.size());
  }

  void close() {
    if (std::exchange(closed_, true)) return;
    api().close_trace(handle_);
  }

  GUID guid_;
  std::wstring name_;
  TRACEHANDLE handle_ = kNoTrace;
  bool closed_ = false;
  EventField field_;  // used by reader_ only
  std::mutex mutex_;
  Batch waiting_;  // handed from reader_ to poll(); guarded by mutex_
  Batch taken_;
  std::atomic<std::uint64_t> damaged_bytes_ = 0;
  std::atomic<ULONG> result_ = ERROR_SUCCESS;
  std::atomic<bool> ended_ = false;
  std::thread reader_;
};

}  // namespace

std::unique_ptr<Consumer> open_live_consumer(const TrialContext& context) {
  return std::make_unique<LiveConsumer>(context);
}

}  // namespace tailgate::etw
