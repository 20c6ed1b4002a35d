#include "providers/missing_sink.h"
#include "providers/syslog/syslog.h"

namespace tailgate {

const SinkType& syslog_sink() {
  static const MissingSink sink("syslog", "rsyslogd", syslog_options(),
                                {.available = false,
                                 .reason = "this operating system has no syslog",
                                 .remedy = "run on Linux, with rsyslog installed"});
  return sink;
}

}  // namespace tailgate
