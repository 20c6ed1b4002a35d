// The TCP ports of a relay daemon of our own, in a network namespace of its session.
#pragma once

#include <cstdint>
#include <string_view>

namespace tailgate::lttng_detail {

// LTTng's own choice (lttng-relayd(8)); nobody else is there to have taken them.
inline constexpr std::uint16_t kRelayControlPort = 5342;
inline constexpr std::uint16_t kRelayDataPort = 5343;
inline constexpr std::uint16_t kRelayLivePort = 5344;

// Whether a socket in the process's network namespace accepts connections on that port.
bool is_listening(int pid, std::uint16_t port);

// The same of the text of a /proc/PID/net/tcp (proc(5)): a line of headings, then one socket a
// line, "number: address:port address:port state …" in hexadecimal digits, state 0A listening.
bool names_listener(std::string_view net_tcp, std::uint16_t port);

}  // namespace tailgate::lttng_detail
