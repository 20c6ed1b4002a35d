#include "providers/lttng/options.h"

namespace tailgate::lttng_detail {

OptionTable options() {
  return {
      choice_option("buffers", "uid", "one set of buffers per user, or one per process",
                    {"uid", "pid"}),
      choice_option("loss", "discard",
                    "a full buffer discards new events, overwrites the oldest, or blocks the "
                    "caller (default: discard; output=snapshot: overwrite)",
                    {"discard", "overwrite", "block"}),
      {"subbuf_bytes", OptionType::integer, "512Ki", "size of each sub-buffer; a power of 2", 4096,
       1 << 28},
      {"subbuf_count", OptionType::integer, "4", "sub-buffers per CPU; a power of 2", 2, 1 << 12},
      {"switch_timer_us", OptionType::integer, "100k",
       "file: time after which a sub-buffer is written although it is not full, 0: never; live: "
       "the live timer; snapshot: unused",
       0, 1e9},
      {"read_timer_us", OptionType::integer, "0",
       "how often the consumer daemon polls for full sub-buffers, 0: the program wakes it", 0, 1e9},
      {"file_bytes", OptionType::integer, "0",
       "file: size of a trace file (tracefile_size); 0: one file for each CPU", 0, 1e12},
      {"files_count", OptionType::integer, "0",
       "file: trace files for each CPU (tracefile_count), of which the oldest is overwritten; "
       "0: all stay",
       0, 1e6},
      choice_option(
          "output", "file",
          "file: into files; snapshot: nowhere until a snapshot at the end; live: through "
          "a relay daemon, as a live session",
          {"file", "snapshot", "live"}),
  };
}

bool wraps(const Options& options) {
  return options.text("output") == "file" && options.integer("files_count") > 0;
}

std::string loss_mode(const Options& options) {
  if (options.text("output") == "snapshot" && !options.given("loss")) return "overwrite";
  return options.text("loss");
}

}  // namespace tailgate::lttng_detail
