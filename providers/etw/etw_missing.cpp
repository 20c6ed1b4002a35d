#include "harness/sink/missing_sink.h"
#include "harness/sink/sink.h"
#include "providers/etw/options.h"

namespace tailgate {

std::unique_ptr<const SinkType> make_etw_sink(const SinkCatalog&) {
  return std::make_unique<MissingSink>(
      "etw", "Event Tracing for Windows", etw::options(),
      Probe{.available = false,
            .reason = "this operating system has no event tracing sessions",
            .remedy = "run on Windows 10 or later"});
}

}  // namespace tailgate
