// Any bytes end in a description that keeps the rules, or in an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "providers/plugin/driver_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  using namespace tailgate::plugin_detail;
  try {
    const DriverFile file =
        parse_driver_file(std::string_view(reinterpret_cast<const char*>(data), size), "input");
    if (file.command.empty() || file.language.empty() || file.described.name.empty()) std::abort();
    const Options options(file.described.options, "input");
    if (settings_of(options).size() != file.described.options.size()) std::abort();
    const Capabilities can = capabilities_of(file.abilities);
    if (can.live_read && !can.read_back) std::abort();
  } catch (const Error&) {
    // Refused: what the reader is there for.
  }
  return 0;
}
