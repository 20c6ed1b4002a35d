#include <sys/uio.h>
#include <systemd/sd-journal.h>

#include <atomic>
#include <cstring>
#include <vector>

#include "providers/journald/places.h"
#include "providers/journald/provider.h"
#include "providers/shared/daemon/accepted_counts.h"
#include "providers/shared/daemon/local_datagrams.h"
#include "providers/shared/daemon/private_namespace.h"

namespace tailgate::journald {
namespace {

constexpr std::string_view kField = "MESSAGE=";

class LibraryProvider : public Provider {
 public:
  explicit LibraryProvider(const TrialContext& context)
      : binary_(context.encoding == EventEncoding::binary),
        accepted_(context.directory, context.threads),
        buffers_(context.threads) {
    require_private_view(kMark, context);
    for (std::vector<char>& buffer : buffers_) {
      buffer.assign(kField.begin(), kField.end());
      buffer.resize(kField.size() + context.max_event_bytes);
    }
  }

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    if (closed_.load(std::memory_order_relaxed)) return kSocketClosed;
    const int result = binary_ ? send_binary(thread, event) : send_text(event);
    if (result < 0) return socket_refusal_of(-result);
    accepted_.add(thread);
    return kAccepted;
  }

  std::vector<std::string> refusal_causes() const override { return socket_refusal_causes(); }
  // libsystemd keeps its socket open until the process ends.
  void close() override { closed_ = true; }

 private:
  static int send_text(std::span<const std::byte> event) noexcept {
    return sd_journal_send("MESSAGE=%.*s", static_cast<int>(event.size()),
                           reinterpret_cast<const char*>(event.data()), "PRIORITY=%i", 6,
                           "SYSLOG_IDENTIFIER=tailgate", nullptr);
  }

  // libsystemd needs name and value in one piece.
  int send_binary(unsigned thread, std::span<const std::byte> event) noexcept {
    static constexpr std::string_view kPriority = "PRIORITY=6";
    static constexpr std::string_view kIdentifier = "SYSLOG_IDENTIFIER=tailgate";
    char* const field = buffers_[thread].data();
    std::memcpy(field + kField.size(), event.data(), event.size());
    const iovec parts[3] = {{field, kField.size() + event.size()},
                            {const_cast<char*>(kPriority.data()), kPriority.size()},
                            {const_cast<char*>(kIdentifier.data()), kIdentifier.size()}};
    return sd_journal_sendv(parts, 3);
  }

  const bool binary_;
  AcceptedCounts accepted_;
  std::vector<std::vector<char>> buffers_;  // one per thread
  std::atomic<bool> closed_ = false;
};

}  // namespace

std::unique_ptr<Provider> open_library(const TrialContext& context) {
  return std::make_unique<LibraryProvider>(context);
}

}  // namespace tailgate::journald
