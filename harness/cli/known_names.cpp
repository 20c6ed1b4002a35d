#include "harness/cli/known_names.h"

#include <fmt/format.h>

#include <utility>

#include "harness/base/error.h"

namespace tailgate {

std::string name_of_sink(const std::string& sink) {
  return sink.substr(0, sink.find(':'));
}

void check_sink_name(const SinkCatalog& sinks, const std::string& sink) {
  const std::string name = name_of_sink(sink);
  if (name.find_first_of("./\\") == std::string::npos) sinks.find(name);
}

void check_duet_settings(const std::vector<Setting>& settings) {
  constexpr std::pair<const char*, const char*> kInstead[] = {
      {"duration_s", "--turns and --turn-ms are"},
      {"events", "--turns and --turn-ms are"},
      {"warmup_s", "--warmup-turns is"},
      {"trials", "--rounds is"}};
  for (const Setting& setting : settings) {
    for (const auto& [name, instead] : kInstead) {
      if (setting.name != name) continue;
      throw Error(fmt::format("{} = '{}' plays no part in a duet", name, setting.value),
                  fmt::format("leave it out; {} for that", instead));
    }
  }
}

void check_pacing(bool pacing_given, const LoadPlan& load) {
  const bool waits = load.shape != Shape::max || load.burst_events > 0;
  if (!pacing_given || waits) return;
  throw Error("pacing plays no part in a closed loop, which never waits", "leave it out");
}

}  // namespace tailgate
