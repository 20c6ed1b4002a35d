#include "providers/ftrace/options.h"

#include "providers/shared/tracefs/buffer_options.h"

namespace tailgate::ftrace {

OptionTable options() {
  OptionTable table = {choice_option("mode", "raw",
                                     "raw: trace_marker_raw, events up to 4064 bytes; text: "
                                     "trace_marker, up to 4054",
                                     {"raw", "text"})};
  for (OptionSpec& spec : tracefs::buffer_options()) table.push_back(std::move(spec));
  return table;
}

}  // namespace tailgate::ftrace
