#include "providers/etw/logman.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

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
  if (sends_all_commands(options)) refuse("commands=all");
  const std::string& processes = options.text("processes");
  if (processes != "all") refuse("processes=" + processes);
}

std::vector<std::string> logman_create(const TrialContext& context, const std::string& session) {
  const Options& options = context.options;
  const auto number = [&](const char* name) { return std::to_string(options.integer(name)); };
  const Selection selection = session_selection(options);
  const std::int64_t flush_s = options.integer("flush_timer_s");
  const std::string& clock = options.text("clock");
  const std::string& mode = options.text("mode");
  std::vector<std::string> arguments = {"create",
                                        "trace",
                                        session,
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
  // The file has this very name: nothing is appended to it (--v), and nothing is in the way (-ow).
  add({"-o", trace_path(context).string(), "--v", "-ow"});
  const std::string file_mib = std::to_string(options.integer("file_bytes") >> 20);
  if (mode == "circular") add({"-f", "bincirc", "-max", file_mib});
  if (mode == "capped") add({"-f", "bin", "-max", file_mib});
  return arguments;
}

std::vector<std::string> dead_collectors(const std::string& listed,
                                         const std::function<bool(const std::string&)>& is_dead) {
  std::vector<std::string> dead;
  std::istringstream lines(listed);
  for (std::string line; std::getline(lines, line);) {
    std::string name = line.substr(0, line.find_first_of(" \t\r"));
    if (is_dead(name)) dead.push_back(std::move(name));
  }
  return dead;
}

}  // namespace tailgate::etw
