#include "harness/sink/missing_sink.h"
#include "providers/user_events/options.h"

namespace tailgate {

std::unique_ptr<const SinkType> make_user_events_sink(const SinkCatalog&) {
  return std::make_unique<MissingSink>("user_events", user_events::kDescription,
                                       user_events::options(),
                                       Probe{.available = false,
                                             .reason = "this operating system has no tracefs",
                                             .remedy = "run on Linux"});
}

}  // namespace tailgate
