#include "harness/sink/missing_sink.h"
#include "providers/ftrace/options.h"

namespace tailgate {

std::unique_ptr<const SinkType> make_ftrace_sink(const SinkCatalog&) {
  return std::make_unique<MissingSink>("ftrace", ftrace::kDescription, ftrace::options(),
                                       Probe{.available = false,
                                             .reason = "this operating system has no tracefs",
                                             .remedy = "run on Linux"});
}

}  // namespace tailgate
