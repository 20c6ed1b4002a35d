#include "harness/sink/missing_sink.h"
#include "providers/syslog/options.h"

namespace tailgate {

std::unique_ptr<const SinkType> make_syslog_sink(const SinkCatalog&) {
  return std::make_unique<MissingSink>("syslog", "rsyslogd", syslog_options(),
                                       Probe{.available = false,
                                             .reason = "this operating system has no syslog",
                                             .remedy = "run on Linux, with rsyslog installed"});
}

}  // namespace tailgate
