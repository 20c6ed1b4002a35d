#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>

#include "harness/base/error.h"
#include "providers/daemon/accepted_counts.h"
#include "providers/journald/places.h"
#include "providers/journald/provider.h"

namespace tailgate::journald {
namespace {

// As libsystemd asks for; the kernel grants less to users without privilege.
constexpr int kSendBufferBytes = 8 * 1024 * 1024;

constexpr std::string_view kTextPrefix = "MESSAGE=";
constexpr std::string_view kBinaryPrefix = "MESSAGE\n";
constexpr std::string_view kRest = "\nPRIORITY=6\nSYSLOG_IDENTIFIER=tailgate\n";

int connect_to_journal(bool blocking) {
  const int type = SOCK_DGRAM | SOCK_CLOEXEC | (blocking ? 0 : SOCK_NONBLOCK);
  const int socket_number = socket(AF_UNIX, type, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, kSocket, std::strlen(kSocket));
  if (socket_number < 0 ||
      connect(socket_number, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int failed = errno;
    if (socket_number >= 0) ::close(socket_number);
    throw system_error("connect", kSocket, failed, "see whether journald still runs");
  }
  if (setsockopt(socket_number, SOL_SOCKET, SO_SNDBUFFORCE, &kSendBufferBytes,
                 sizeof kSendBufferBytes) != 0) {
    setsockopt(socket_number, SOL_SOCKET, SO_SNDBUF, &kSendBufferBytes, sizeof kSendBufferBytes);
  }
  return socket_number;
}

// Protocol: systemd, "Native Journal Protocol". A field is NAME=value and a line feed or, for
// values that may hold line feeds, NAME, a line feed, the value's size in 8 bytes little endian,
// the value and a line feed.
class NativeProvider : public Provider {
 public:
  explicit NativeProvider(const TrialContext& context)
      : binary_(context.encoding == EventEncoding::binary),
        accepted_(context.directory, context.threads) {
    require_private_view(context);
    socket_ = connect_to_journal(context.options.boolean("blocking"));
  }
  ~NativeProvider() override { shut(); }
  NativeProvider(const NativeProvider&) = delete;
  NativeProvider& operator=(const NativeProvider&) = delete;

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    const int to = socket_.load(std::memory_order_relaxed);
    if (to < 0) return kClosed;
    std::uint64_t size = event.size();
    static_assert(std::endian::native == std::endian::little);
    const std::string_view prefix = binary_ ? kBinaryPrefix : kTextPrefix;
    iovec parts[4] = {{const_cast<char*>(prefix.data()), prefix.size()},
                      {&size, binary_ ? sizeof size : 0},
                      {const_cast<std::byte*>(event.data()), event.size()},
                      {const_cast<char*>(kRest.data()), kRest.size()}};
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = std::size(parts);
    ssize_t sent = 0;
    do {
      sent = sendmsg(to, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0) return refusal_of(errno);
    accepted_.add(thread);
    return kAccepted;
  }

  std::vector<std::string> refusal_causes() const override { return journald::refusal_causes(); }
  void close() override { shut(); }

 private:
  void shut() {
    const int number = socket_.exchange(-1);
    if (number >= 0) ::close(number);
  }

  const bool binary_;
  AcceptedCounts accepted_;
  std::atomic<int> socket_ = -1;
};

}  // namespace

std::unique_ptr<Provider> open_native(const TrialContext& context) {
  return std::make_unique<NativeProvider>(context);
}

}  // namespace tailgate::journald
