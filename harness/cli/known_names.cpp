#include "harness/cli/known_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/base/error.h"
#include "harness/sink/unknown_sink.h"

namespace tailgate {

std::string name_of_sink(const std::string& sink) {
  return sink.substr(0, sink.find(':'));
}

void check_sink_name(const SinkCatalog& sinks, const std::string& sink) {
  check_sink_name(sinks, {}, sink);
}

void check_sink_name(const SinkCatalog& sinks, const std::vector<std::string>& measured,
                     const std::string& sink) {
  const std::string name = name_of_sink(sink);
  if (std::find(measured.begin(), measured.end(), name) != measured.end()) return;
  if (name.find_first_of("./\\") != std::string::npos) return;
  std::vector<std::string> known;
  for (const auto& type : sinks.all()) known.push_back(type->name());
  for (const std::string& other : measured) {
    if (std::find(known.begin(), known.end(), other) == known.end()) known.push_back(other);
  }
  if (std::find(known.begin(), known.end(), name) == known.end()) throw unknown_sink(name, known);
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
