// Sends datagrams to a daemon's socket on this machine.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/sink/sink.h"

namespace tailgate {

// The refusals of emit() for a sink that writes to a local socket.
enum SocketRefusal : EmitStatus {
  kSocketClosed = 1,
  kSocketFull,
  kSocketRefused,
  kSocketMissing,
  kDatagramTooBig,
  kNoSocketBuffers,
  kSocketNotConnected,
  kOtherSocketError
};

// Names of the refusals, in that order: "closed", then those of errno.
std::vector<std::string> socket_refusal_causes();

// The refusal for an errno; zero gives kAccepted.
EmitStatus socket_refusal_of(int error_number);

// The limit on datagrams that wait in one socket (sysctl net.unix.max_dgram_qlen), as a setting
// that a session reports. A sender that finds the queue at this limit waits or is refused.
std::pair<std::string, std::string> granted_queue_length();

class LocalDatagrams {
 public:
  // Connects. blocking: send() waits while the receiver's queue is full. send_buffer_bytes: the
  // size to ask for; 0 keeps the system's default. Throws Error.
  LocalDatagrams(const std::string& path, bool blocking, int send_buffer_bytes);
  ~LocalDatagrams() { close(); }
  LocalDatagrams(const LocalDatagrams&) = delete;
  LocalDatagrams& operator=(const LocalDatagrams&) = delete;

  // Sends one datagram, the concatenation of `parts`. Any number of threads may call it at once.
  EmitStatus send(std::span<iovec> parts) noexcept;

  // After this, send() refuses. A second call does nothing.
  void close();

 private:
  std::atomic<int> socket_ = -1;
};

}  // namespace tailgate
