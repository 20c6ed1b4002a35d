#include "providers/lttng/relay_ports.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "harness/base/error.h"

namespace tailgate::lttng_detail {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

class TcpSocket {
 public:
  TcpSocket() : number_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (number_ < 0) throw system_error("socket", "127.0.0.1", errno, "raise the open files limit");
  }
  ~TcpSocket() { close(number_); }
  TcpSocket(const TcpSocket&) = delete;
  TcpSocket& operator=(const TcpSocket&) = delete;

  // Binds to a port that the system chooses.
  std::uint16_t bind_to_any() const {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(number_, generic, size) != 0 || getsockname(number_, generic, &size) != 0) {
      throw system_error("bind", "127.0.0.1:0", errno, "see whether the loopback interface is up");
    }
    return ntohs(address.sin_port);
  }

  bool connects_to(std::uint16_t port) const {
    const sockaddr_in address = loopback(port);
    return connect(number_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

 private:
  int number_;
};

}  // namespace

RelayPorts choose_relay_ports() {
  const TcpSocket control;  // held together, so that they differ
  const TcpSocket data;
  const TcpSocket live;
  return {control.bind_to_any(), data.bind_to_any(), live.bind_to_any()};
}

bool is_listening(std::uint16_t port) {
  return TcpSocket().connects_to(port);
}

}  // namespace tailgate::lttng_detail
