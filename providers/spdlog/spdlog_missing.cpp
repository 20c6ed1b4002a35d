#include "harness/sink/missing_sink.h"
#include "providers/spdlog/options.h"

namespace tailgate {

std::unique_ptr<const SinkType> make_spdlog_sink(const SinkCatalog&) {
  return std::make_unique<MissingSink>(
      "spdlog", spdlog_detail::kDescription, spdlog_detail::options(),
      Probe{.available = false,
            .reason = "this tailgate was built without spdlog",
            .remedy = "install libspdlog-dev, configure and build again"});
}

}  // namespace tailgate
