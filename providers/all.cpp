#include "providers/all.h"

#include "providers/fields/fields.h"
#include "providers/planted/planted.h"
#include "providers/plugin/host.h"
#include "providers/plugin/plugin.h"
#include "providers/queue/queue.h"
#include "providers/stacks/stacks.h"

// One line a sink, in the order in which they are listed; the first is the floor.
#define TAILGATE_SINKS(SINK) \
  SINK(null)                 \
  SINK(synthetic)            \
  SINK(file)                 \
  SINK(spdlog)               \
  SINK(journald)             \
  SINK(syslog)               \
  SINK(lttng)                \
  SINK(ftrace)               \
  SINK(user_events)          \
  SINK(etw)                  \
  SINK(eventlog)             \
  SINK(fallback)             \
  SINK(tee)

namespace tailgate {

#define TAILGATE_DECLARE_SINK(NAME) SinkFactory make_##NAME##_sink;
TAILGATE_SINKS(TAILGATE_DECLARE_SINK)

void add_all_sinks(SinkCatalog& sinks) {
#define TAILGATE_ADD_SINK(NAME) sinks.add(make_##NAME##_sink(sinks));
  TAILGATE_SINKS(TAILGATE_ADD_SINK)
  sinks.set_loader(plugin_loader());
  sinks.add_wrapper({.has_option = is_plant_option, .wrap = plant_into});
  sinks.add_wrapper({.has_option = is_queue_option, .wrap = put_behind_queue});
  sinks.add_wrapper({.has_option = is_fields_option, .wrap = give_fields});
  sinks.add_wrapper({.has_option = is_stacks_option, .wrap = give_stacks});
}

std::optional<int> run_sink_process(int argc, char** argv) {
  return run_plugin_process(argc, argv);
}

}  // namespace tailgate
