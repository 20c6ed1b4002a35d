#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "providers/lttng/relay_ports.h"

namespace tailgate::lttng_detail {
namespace {

// Whether the text of a /proc/PID/net/tcp names a socket that listens on `port`. Format: proc(5). A
// line of headings, then one socket a line, "number: address:port address:port state ..." in
// hexadecimal digits; state 0A is listening.
bool names_listener(std::string_view net_tcp, std::uint16_t port) {
  constexpr std::string_view kNobody = " 00000000:0000 ";
  const std::string wanted = fmt::format(":{:04X}{}0A ", port, kNobody);
  return net_tcp.find(wanted) != std::string_view::npos;
}

}  // namespace

bool is_listening(int pid, std::uint16_t port) {
  std::ifstream file(fmt::format("/proc/{}/net/tcp", pid));
  return names_listener(std::string(std::istreambuf_iterator<char>(file), {}), port);
}

}  // namespace tailgate::lttng_detail
