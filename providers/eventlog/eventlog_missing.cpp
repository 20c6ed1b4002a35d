#include "providers/eventlog/eventlog.h"
#include "providers/eventlog/options.h"
#include "providers/missing_sink.h"

namespace tailgate {

const SinkType& eventlog_sink() {
  static const MissingSink sink("eventlog", "the Windows Event Log", eventlog::options(),
                                {.available = false,
                                 .reason = "this operating system has no Event Log",
                                 .remedy = "run on Windows 10 or later"});
  return sink;
}

}  // namespace tailgate
