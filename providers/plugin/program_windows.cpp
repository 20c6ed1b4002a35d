#include "providers/plugin/driver_sink.h"

namespace tailgate::plugin_detail {

Probe probe_program(const std::string&, const std::filesystem::path&) {
  return {.available = false,
          .reason = "tailgate runs sinks that are programs in another language on Linux alone",
          .remedy = "measure it on Linux, or write a plugin for this system"};
}

}  // namespace tailgate::plugin_detail
