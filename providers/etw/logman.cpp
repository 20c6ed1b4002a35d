#include "providers/etw/logman.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "providers/etw/options.h"

namespace tailgate::etw {

void check_logman_can(const Options& options) {
  const auto refuse = [](const std::string& option) {
    throw Error(fmt::format("logman cannot start a session with {}", option),
                "use controller=api, or leave the option out");
  };
  const std::string& mode = options.text("mode");
  if (mode == "memory" || mode == "private" || mode == "new_file") refuse("mode=" + mode);
  if (options.boolean("compressed")) refuse("compressed=true");
  if (options.boolean("stack")) refuse("stack=true");
}

std::vector<std::string> logman_start(const TrialContext& context, const std::string& session) {
  const Options& options = context.options;
  const auto number = [&](const char* name) { return std::to_string(options.integer(name)); };
  const Selection selection = session_selection(options);
  const std::int64_t flush_s = options.integer("flush_timer_s");
  const std::string& clock = options.text("clock");
  const std::string& mode = options.text("mode");
  std::vector<std::string> arguments = {"start",
                                        session,
                                        "-ets",
                                        "-p",
                                        "{" + etl::to_text(provider_guid(context)) + "}",
                                        fmt::format("{:#x}", selection.keyword),
                                        fmt::format("{:#x}", selection.level),
                                        "-bs",
                                        std::to_string(options.integer("buffer_bytes") / 1024),
                                        "-ct",
                                        clock == "qpc"      ? "perf"
                                        : clock == "system" ? "system"
                                                            : "cycle"};
  const auto add = [&](std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more);
  };
  if (options.integer("buffers_max_count") > 0) {
    add({"-nb", number("buffers_min_count"), number("buffers_max_count")});
  }
  if (flush_s > 0)
    add({"-ft", fmt::format("{:02}:{:02}:{:02}", flush_s / 3600, flush_s / 60 % 60, flush_s % 60)});
  if (mode == "realtime") {
    add({"-rt"});
    return arguments;
  }
  add({"-o", trace_path(context).string()});
  const std::string file_mib = std::to_string(options.integer("file_bytes") >> 20);
  if (mode == "circular") add({"-f", "bincirc", "-max", file_mib});
  return arguments;
}

}  // namespace tailgate::etw
