#include "providers/syslog/options.h"

namespace tailgate {

OptionTable syslog_options() {
  return {
      choice_option("mode", "datagram", "who builds the datagrams: tailgate or the C library",
                    {"datagram", "syslog3"}),
      {"blocking", OptionType::boolean, "true",
       "datagram: wait when rsyslogd's socket is full; false: refuse the event"},
      {"queue_events", OptionType::integer, "50000", "queue.size: capacity of rsyslogd's queue", 16,
       1e8},
      {"timeout_enqueue_ms", OptionType::integer, "2000",
       "queue.timeoutEnqueue: how long rsyslogd waits for room before it drops an event", 0, 1e6},
      {"disk_bytes", OptionType::integer, "0",
       "put the file into a tmpfs of this size (0: into the trial's directory)", 0, 1e12},
  };
}

}  // namespace tailgate
