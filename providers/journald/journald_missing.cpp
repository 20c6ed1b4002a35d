#include "providers/journald/journald.h"
#include "providers/missing_sink.h"

namespace tailgate {

const SinkType& journald_sink() {
  static const MissingSink sink(
      "journald", "systemd-journald", journald_options(),
      {.available = false,
       .reason = "this tailgate was built without libsystemd",
       .remedy = "on Linux, install libsystemd-dev and systemd, and build again"});
  return sink;
}

}  // namespace tailgate
