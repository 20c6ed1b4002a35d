#include "harness/sink/missing_sink.h"
#include "providers/journald/options.h"

namespace tailgate {

std::unique_ptr<const SinkType> make_journald_sink(const SinkCatalog&) {
  return std::make_unique<MissingSink>(
      "journald", "systemd-journald", journald_options(),
      Probe{.available = false,
            .reason = "this tailgate was built without libsystemd",
            .remedy = "on Linux, install libsystemd-dev and systemd, and build again"});
}

}  // namespace tailgate
