// Any bytes as /proc/PID/stat: a process may give itself any name, with parentheses, blanks and
// line feeds. What was read of a text that begins like one is what stands in it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/os/process_stat_linux.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  parse_process_stat(bytes);
  // The input as a name.
  const std::string rest = " S 7 1 1 0 -1 4194560 11 0 13 0 14 15 0 0 20 0 1 0 100 0 0";
  const auto stat = parse_process_stat("42 (" + std::string(bytes) + ")" + rest);
  if (!stat || stat->name != bytes || stat->pid != 42 || stat->state != 'S' ||
      stat->parent_pid != 7 || stat->minor_faults != 11 || stat->major_faults != 13 ||
      stat->system_ticks != 15) {
    std::abort();
  }
  return 0;
}
