#include "harness/sink/missing_sink.h"
#include "harness/sink/sink.h"
#include "providers/eventlog/options.h"

namespace tailgate {

std::unique_ptr<const SinkType> make_eventlog_sink(const SinkCatalog&) {
  return std::make_unique<MissingSink>("eventlog", "the Windows Event Log", eventlog::options(),
                                       Probe{.available = false,
                                             .reason = "this operating system has no Event Log",
                                             .remedy = "run on Windows 10 or later"});
}

}  // namespace tailgate
