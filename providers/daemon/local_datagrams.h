// Datagrams to a daemon's socket on this machine.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "providers/sink.h"

namespace tailgate {

// Answers of emit() for paths that are a local socket.
enum SocketRefusal : EmitStatus {
  kSocketClosed = 1,
  kSocketFull,
  kSocketRefused,
  kSocketMissing,
  kDatagramTooBig,
  kNoSocketBuffers,
  kOtherSocketError
};

// Their names, in that order: "closed", then errno's.
std::vector<std::string> socket_refusal_causes();

// The refusal for an errno; zero gives kAccepted.
EmitStatus socket_refusal_of(int error_number);

// The system's limit of datagrams that wait in one socket (sysctl net.unix.max_dgram_qlen), as a
// setting that a session was granted: from there on, senders wait or are refused.
std::pair<std::string, std::string> granted_queue_length();

class LocalDatagrams {
 public:
  // Connects. blocking: send() waits while the receiver's queue is full. send_buffer_bytes: asked
  // for; 0: the system's default. Throws Error.
  LocalDatagrams(const std::string& path, bool blocking, int send_buffer_bytes);
  ~LocalDatagrams() { close(); }
  LocalDatagrams(const LocalDatagrams&) = delete;
  LocalDatagrams& operator=(const LocalDatagrams&) = delete;

  // Sends one datagram made of these parts. Any number of threads.
  EmitStatus send(std::span<iovec> parts) noexcept;

  // send() refuses from here on. A second call does nothing.
  void close();

 private:
  std::atomic<int> socket_ = -1;
};

}  // namespace tailgate
