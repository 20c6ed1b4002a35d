// The TCP ports of the private relay daemon, in its session's network namespace.
#pragma once

#include <cstdint>

namespace tailgate::lttng_detail {

// LTTng's defaults (lttng-relayd(8)); nobody else in the namespace can have taken them.
inline constexpr std::uint16_t kRelayControlPort = 5342;
inline constexpr std::uint16_t kRelayDataPort = 5343;
inline constexpr std::uint16_t kRelayLivePort = 5344;

// Whether a socket in the network namespace of process `pid` listens on `port`.
bool is_listening(int pid, std::uint16_t port);

}  // namespace tailgate::lttng_detail
