#include "providers/lttng/relay_ports.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>

namespace tailgate::lttng_detail {

bool is_listening(int pid, std::uint16_t port) {
  std::ifstream file(fmt::format("/proc/{}/net/tcp", pid));
  return names_listener(std::string(std::istreambuf_iterator<char>(file), {}), port);
}

bool names_listener(std::string_view net_tcp, std::uint16_t port) {
  constexpr std::string_view kNobody = " 00000000:0000 ";
  const std::string wanted = fmt::format(":{:04X}{}0A ", port, kNobody);
  return net_tcp.find(wanted) != std::string_view::npos;
}

}  // namespace tailgate::lttng_detail
