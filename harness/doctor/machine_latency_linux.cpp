#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>

#include "harness/base/error.h"
#include "harness/doctor/machine_latency.h"

namespace tailgate {
namespace {

constexpr std::size_t kMessageBytes = 14;  // sockperf's
constexpr int kReceiveLimitUs = 100'000;   // a datagram may be lost; then the wait ends

// A datagram socket on the loopback interface, at a port that the system chose.
class LoopbackSocket {
 public:
  LoopbackSocket() : socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address_;
    const timeval limit = {.tv_sec = 0, .tv_usec = kReceiveLimitUs};
    if (socket_ < 0 || bind(socket_, plain(address_), sizeof address_) != 0 ||
        getsockname(socket_, plain(address_), &length) != 0 ||
        setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0) {
      const int reason = errno;
      if (socket_ >= 0) close(socket_);
      throw system_error("socket", "127.0.0.1", reason, "allow this program to use the network");
    }
  }
  ~LoopbackSocket() { close(socket_); }
  LoopbackSocket(const LoopbackSocket&) = delete;
  LoopbackSocket& operator=(const LoopbackSocket&) = delete;

  bool send_to(const LoopbackSocket& other, std::uint64_t number) const {
    std::array<char, kMessageBytes> message = {};
    std::memcpy(message.data(), &number, sizeof number);
    return sendto(socket_, message.data(), message.size(), 0, plain(other.address_),
                  sizeof other.address_) == static_cast<ssize_t>(message.size());
  }
  // The number of the next message; nothing if none came in time.
  std::optional<std::uint64_t> receive() const {
    std::array<char, kMessageBytes> message;
    if (recv(socket_, message.data(), message.size(), 0) != static_cast<ssize_t>(message.size())) {
      return std::nullopt;
    }
    std::uint64_t number = 0;
    std::memcpy(&number, message.data(), sizeof number);
    return number;
  }

 private:
  static sockaddr* plain(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }
  static const sockaddr* plain(const sockaddr_in& address) {
    return reinterpret_cast<const sockaddr*>(&address);
  }

  int socket_;
  sockaddr_in address_ = {};
};

// Whether the answer to that message came; answers to earlier ones, which were given up, are
// dropped.
bool is_answered(const LoopbackSocket& here, std::uint64_t number) {
  while (const auto answer = here.receive()) {
    if (*answer == number) return true;
  }
  return false;
}

}  // namespace

LatencySummary measure_ping_pong(const Clock& clock, std::uint64_t duration_ns) {
  const LoopbackSocket here;
  const LoopbackSocket there;
  std::atomic<bool> over = false;
  std::thread echo([&] {
    while (!over.load(std::memory_order_relaxed)) {
      if (const auto number = there.receive()) there.send_to(here, *number);
    }
  });
  std::vector<std::uint64_t> times_ns;
  const std::uint64_t end_ns = clock.now_ns() + duration_ns;
  std::uint64_t number = 0;
  for (std::uint64_t start_ns = clock.now_ns(); start_ns < end_ns; start_ns = clock.now_ns()) {
    const bool answered = here.send_to(there, ++number) && is_answered(here, number);
    if (answered) times_ns.push_back((clock.now_ns() - start_ns) / 2);
  }
  over.store(true, std::memory_order_relaxed);
  echo.join();
  return summary_of(std::move(times_ns));
}

}  // namespace tailgate
