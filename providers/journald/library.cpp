#include <sys/uio.h>
#include <systemd/sd-journal.h>

#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "providers/journald/event_fields.h"
#include "providers/journald/places.h"
#include "providers/journald/provider.h"
#include "providers/shared/daemon/accepted_counts.h"
#include "providers/shared/daemon/local_datagrams.h"
#include "providers/shared/daemon/private_namespace.h"

namespace tailgate::journald {
namespace {

constexpr std::string_view kPriority = "PRIORITY=6";
constexpr std::string_view kIdentifier = "SYSLOG_IDENTIFIER=tailgate";

// The longest name of a field, with "=".
constexpr std::size_t kMaxNameBytes = 16;

// sd_journal_sendv needs name and value in one piece.
class LibraryEntry {
 public:
  explicit LibraryEntry(char* buffer) : out_(buffer) {}

  void add(const EntryField& field) noexcept {
    const std::string_view name = slot_name(field.slot);
    std::memcpy(out_, name.data(), name.size());
    if (!field.value.empty()) {
      std::memcpy(out_ + name.size(), field.value.data(), field.value.size());
    }
    const std::size_t bytes = name.size() + field.value.size();
    parts_[count_++] = {out_, bytes};
    out_ += bytes;
  }
  int send() noexcept {
    for (const std::string_view text : {kPriority, kIdentifier}) {
      parts_[count_++] = {const_cast<char*>(text.data()), text.size()};
    }
    return sd_journal_sendv(parts_.data(), static_cast<int>(count_));
  }

 private:
  char* out_;
  std::array<iovec, kSlots + 2> parts_;
  std::size_t count_ = 0;
};

class LibraryProvider : public Provider {
 public:
  explicit LibraryProvider(const TrialContext& context)
      : fields_(entry_fields(context.options)),
        encoding_(context.encoding),
        accepted_(context.directory, context.threads),
        buffers_(context.threads) {
    require_private_view(kMark, context);
    for (std::vector<char>& buffer : buffers_) {
      buffer.resize(context.max_event_bytes + kSlots * kMaxNameBytes);
    }
  }

  EmitStatus emit(unsigned thread, EventBytes event) noexcept override {
    if (closed_.load(std::memory_order_relaxed)) return kSocketClosed;
    const int result = sends_text() ? send_text(event) : send_fields(thread, event);
    if (result < 0) return socket_refusal_of(-result);
    accepted_.add(thread);
    return kAccepted;
  }

  std::vector<std::string> refusal_causes() const override { return socket_refusal_causes(); }
  // libsystemd keeps its socket open until the process ends.
  void close() override { closed_ = true; }

 private:
  bool sends_text() const noexcept {
    return encoding_ == EventEncoding::text && fields_ == EntryFields::one;
  }

  static int send_text(EventBytes event) noexcept {
    return sd_journal_send("MESSAGE=%.*s", static_cast<int>(event.size()),
                           reinterpret_cast<const char*>(event.data()), "PRIORITY=%i", 6,
                           "SYSLOG_IDENTIFIER=tailgate", nullptr);
  }

  int send_fields(unsigned thread, EventBytes event) noexcept {
    SplitEvent split;
    split_event(fields_, encoding_, event, split);
    LibraryEntry entry(buffers_[thread].data());
    for (std::size_t i = 0; i < split.count; ++i) entry.add(split.fields[i]);
    return entry.send();
  }

  const EntryFields fields_;
  const EventEncoding encoding_;
  AcceptedCounts accepted_;
  std::vector<std::vector<char>> buffers_;  // one per thread
  std::atomic<bool> closed_ = false;
};

}  // namespace

std::unique_ptr<Provider> open_library(const TrialContext& context) {
  return std::make_unique<LibraryProvider>(context);
}

}  // namespace tailgate::journald
