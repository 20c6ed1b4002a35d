#include "harness/sink/missing_sink.h"
#include "providers/lttng/options.h"

namespace tailgate {

std::unique_ptr<const SinkType> make_lttng_sink(const SinkCatalog&) {
  return std::make_unique<MissingSink>(
      "lttng", lttng_detail::kDescription, lttng_detail::options(),
      Probe{.available = false,
            .reason = "this tailgate was built without LTTng",
            .remedy = "install lttng-tools, liblttng-ctl-dev and liblttng-ust-dev, configure and "
                      "build again"});
}

}  // namespace tailgate
