#include "providers/etw/etw.h"
#include "providers/etw/options.h"
#include "providers/missing_sink.h"

namespace tailgate {

const SinkType& etw_sink() {
  static const MissingSink sink("etw", "Event Tracing for Windows", etw::options(),
                                {.available = false,
                                 .reason = "this operating system has no event tracing sessions",
                                 .remedy = "run on Windows 10 or later"});
  return sink;
}

}  // namespace tailgate
