#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "harness/base/log_fields.h"
#include "harness/etw/api_windows.h"
#include "providers/etw/enable_account.h"
#include "providers/etw/enable_state.h"
#include "providers/etw/filter_data_windows.h"
#include "providers/etw/metadata.h"
#include "providers/etw/options.h"
#include "providers/etw/roles.h"
#include "providers/etw/trace_control_windows.h"

namespace tailgate::etw {
namespace {

constexpr ULONG kSetTraits = 2;  // EventProviderSetTraits
// EVENT_DATA_DESCRIPTOR::Type; mingw-w64 10 declares the whole field as Reserved.
constexpr ULONG kEventMetadataType = 1;
constexpr ULONG kProviderMetadataType = 2;

// Refusals, in the order of refusal_causes().
constexpr EmitStatus kClosed = 1;
constexpr EmitStatus kTooLarge = 2;
constexpr EmitStatus kOther = 3;

// The refusal for an error. An event that found no free buffer is not refused: the session counts
// it (EventsLost), whatever the call returns, and a refusal would count it twice.
EmitStatus refusal_of(ULONG error) {
  switch (error) {
    case ERROR_SUCCESS:
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_LOG_FILE_FULL:
      return kAccepted;
    case ERROR_MORE_DATA:            // larger than the session's buffers
    case ERROR_ARITHMETIC_OVERFLOW:  // larger than 64 KiB
      return kTooLarge;
    default:
      return kOther;
  }
}

EVENT_DATA_DESCRIPTOR piece(const void* data, std::size_t bytes, ULONG type) {
  return {.Ptr = reinterpret_cast<ULONGLONG>(data),
          .Size = static_cast<ULONG>(bytes),
          .Reserved = type};
}

class EtwProvider : public Provider {
 public:
  explicit EtwProvider(const TrialContext& context)
      : guid_(native_guid(provider_guid(context))),
        told_path_(told_path(context, context.process)),
        clock_(context.clock),
        splits_(context.options.text("fields") == "log"),
        descriptor_{.Id = 0,
                    .Version = 0,
                    .Channel = 11,  // WINEVENT_CHANNEL_TRACELOGGING
                    .Level = event_selection().level,
                    .Opcode = 0,
                    .Task = 0,
                    .Keyword = event_selection().keyword} {
    check("EventRegister", api().event_register(&guid_, on_enable, this, &handle_));
    const ULONG failed = api().event_set_information(
        handle_, kSetTraits, const_cast<std::uint8_t*>(kProviderMetadata.data()),
        static_cast<ULONG>(kProviderMetadata.size()));
    if (failed != ERROR_SUCCESS) api().event_unregister(handle_);
    check("EventSetInformation", failed);
    if (context.options.text("mode") == "private") start_private_session(context);
    if (selects_events(context.options)) wait_until_enabled();
  }
  ~EtwProvider() override { close(); }

  // Like the TraceLogging macros: checks whether a session listens, and only then writes.
  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    if (closed_.load(std::memory_order_relaxed)) return kClosed;
    if (!enabled_.listens(descriptor_.Level)) return kAccepted;
    if (splits_) {
      if (const auto fields = split_line(event.subspan(kBinaryHeaderBytes))) {
        return write_log(event.first(kBinaryHeaderBytes), *fields);
      }
    }
    const auto bytes = static_cast<std::uint16_t>(event.size());
    EVENT_DATA_DESCRIPTOR pieces[] = {
        piece(kProviderMetadata.data(), kProviderMetadata.size(), kProviderMetadataType),
        piece(kEventMetadata.data(), kEventMetadata.size(), kEventMetadataType),
        piece(&bytes, sizeof bytes, 0), piece(event.data(), event.size(), 0)};
    return refusal_of(api_.event_write(handle_, &descriptor_, nullptr, nullptr,
                                       static_cast<ULONG>(std::size(pieces)), pieces));
  }

  std::vector<std::string> refusal_causes() const override {
    return {"closed", "larger than a buffer", "other error"};
  }

  void close() override {
    if (closed_.exchange(true)) return;
    const std::uint64_t closed_ns = clock_.now_ns();
    api().event_unregister(handle_);
    write_told(told_path_,
               {.commands = {told_.begin(), told_.begin() + told_count_}, .closed_ns = closed_ns});
    if (private_session_) private_session_->stop();
  }

  std::vector<Loss> losses() const override {
    return private_session_ ? private_session_->losses() : std::vector<Loss>{};
  }

 private:
  // The event's header and each field of the log line, counted.
  EmitStatus write_log(EventBytes header,
                       const std::array<EventBytes, kLogFields>& fields) noexcept {
    std::array<std::uint16_t, 1 + kLogFields> counts{};
    std::array<EVENT_DATA_DESCRIPTOR, 2 + 2 * (1 + kLogFields)> pieces{};
    pieces[0] = piece(kProviderMetadata.data(), kProviderMetadata.size(), kProviderMetadataType);
    pieces[1] = piece(kLogMetadata.data(), kLogMetadata.size(), kEventMetadataType);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const EventBytes field = i == 0 ? header : fields[i - 1];
      counts[i] = static_cast<std::uint16_t>(field.size());
      pieces[2 + 2 * i] = piece(&counts[i], sizeof counts[i], 0);
      pieces[3 + 2 * i] = piece(field.data(), field.size(), 0);
    }
    return refusal_of(api_.event_write(handle_, &descriptor_, nullptr, nullptr,
                                       static_cast<ULONG>(pieces.size()), pieces.data()));
  }

  void start_private_session(const TrialContext& context) {
    private_session_.emplace(context, "tailgate-private-" + etl::to_text(trial_guid(context)));
    try {
      private_session_->start();
    } catch (const Error&) {
      api().event_unregister(handle_);
      throw;
    }
  }

  static void check(const char* call, ULONG error) {
    if (error == ERROR_SUCCESS) return;
    throw windows_error(call, "the provider Tailgate", error, "see providers/etw/README.md");
  }

  // Windows calls it at any time and on any thread, but not twice at once.
  static void NTAPI on_enable(LPCGUID, ULONG code, UCHAR level, ULONGLONG any_keyword,
                              ULONGLONG all_keywords, PEVENT_FILTER_DESCRIPTOR filter,
                              PVOID provider) {
    auto& self = *static_cast<EtwProvider*>(provider);
    self.enabled_.told(code, level, any_keyword, all_keywords);
    if (self.told_count_ == std::ssize(self.told_)) return;
    self.told_[static_cast<std::size_t>(self.told_count_++)] = {
        .code = static_cast<EnableCode>(code),
        .level = level,
        .any = any_keyword,
        .all = all_keywords,
        .number = number_in(filter)};
  }

  // The session enabled the provider before this process began; Windows soon reports that to the
  // process.
  void wait_until_enabled() {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!enabled_.listens(descriptor_.Level)) {
      if (std::chrono::steady_clock::now() > give_up) {
        close();
        throw Error("no session has enabled the provider within 5 s",
                    "start the session before its provider");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  const Api& api_ = api();
  GUID guid_;
  std::filesystem::path told_path_;
  Clock clock_;
  // What the callback was told; room for more than a scenario can switch.
  std::array<EnableCommand, 8192> told_ = {};
  std::ptrdiff_t told_count_ = 0;
  bool splits_;  // log lines into their fields
  EVENT_DESCRIPTOR descriptor_;
  REGHANDLE handle_ = 0;
  EnableState enabled_{event_selection().keyword};
  std::atomic<bool> closed_ = false;
  std::optional<TraceControl> private_session_;
};

}  // namespace

std::unique_ptr<Provider> open_provider(const TrialContext& context) {
  return std::make_unique<EtwProvider>(context);
}

}  // namespace tailgate::etw
