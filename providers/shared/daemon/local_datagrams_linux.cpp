#include "providers/shared/daemon/local_datagrams.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "harness/base/error.h"

namespace tailgate {

std::vector<std::string> socket_refusal_causes() {
  return {"closed",   "EAGAIN",  "ECONNREFUSED",           "ENOENT",
          "EMSGSIZE", "ENOBUFS", "ENOTCONN or ECONNRESET", "other error"};
}

EmitStatus socket_refusal_of(int error_number) {
  switch (error_number) {
    case 0:
      return kAccepted;
    case EAGAIN:
      return kSocketFull;
    case ECONNREFUSED:
      return kSocketRefused;
    case ENOENT:
      return kSocketMissing;
    case EMSGSIZE:
      return kDatagramTooBig;
    case ENOBUFS:
      return kNoSocketBuffers;
    // The daemon is gone: a call that waited for it fails with ECONNRESET, the one that finds that
    // out with ECONNREFUSED, each later one with ENOTCONN.
    case ENOTCONN:
    case ECONNRESET:
      return kSocketNotConnected;
    default:
      return kOtherSocketError;
  }
}

std::pair<std::string, std::string> granted_queue_length() {
  std::ifstream input("/proc/sys/net/unix/max_dgram_qlen");
  std::string length;
  if (!(input >> length)) length = "unknown";
  return {"socket_queue_events", length};
}

LocalDatagrams::LocalDatagrams(const std::string& path, bool blocking, int send_buffer_bytes) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    throw system_error("connect", path, ENAMETOOLONG, "choose a shorter path");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  const int number = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | (blocking ? 0 : SOCK_NONBLOCK), 0);
  if (number < 0 ||
      connect(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int failed = errno;
    if (number >= 0) ::close(number);
    throw system_error("connect", path, failed, "see whether the daemon still runs");
  }
  // SO_SNDBUFFORCE exceeds the system's limit but needs privilege; SO_SNDBUF is for everybody else.
  if (send_buffer_bytes > 0 && setsockopt(number, SOL_SOCKET, SO_SNDBUFFORCE, &send_buffer_bytes,
                                          sizeof send_buffer_bytes) != 0) {
    setsockopt(number, SOL_SOCKET, SO_SNDBUF, &send_buffer_bytes, sizeof send_buffer_bytes);
  }
  socket_ = number;
}

EmitStatus LocalDatagrams::send(std::span<iovec> parts) noexcept {
  const int to = socket_.load(std::memory_order_relaxed);
  if (to < 0) return kSocketClosed;
  msghdr message = {};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  ssize_t sent = 0;
  do {
    sent = sendmsg(to, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? socket_refusal_of(errno) : kAccepted;
}

void LocalDatagrams::close() {
  const int number = socket_.exchange(-1);
  if (number >= 0) ::close(number);
}

}  // namespace tailgate
