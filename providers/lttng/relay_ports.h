// TCP ports for a relay daemon of our own, on the loopback interface.
#pragma once

#include <cstdint>

namespace tailgate::lttng_detail {

struct RelayPorts {
  std::uint16_t control = 0;
  std::uint16_t data = 0;
  std::uint16_t live = 0;
};

// Three different ports of 127.0.0.1 that are free at this moment. Throws Error.
RelayPorts choose_relay_ports();

// Whether someone accepts connections on that port of 127.0.0.1.
bool is_listening(std::uint16_t port);

}  // namespace tailgate::lttng_detail
