#include "harness/cli/surroundings.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/build_info.h"
#include "harness/base/error.h"
#include "harness/os/affinity.h"

namespace tailgate {
namespace {

std::vector<int> chosen_cpus(const std::string& text, std::vector<int> by_default) {
  if (text == "auto") return by_default;
  const std::vector<int> cpus = parse_cpu_list(text);
  const ScopedAffinity restore;
  bind_this_thread(cpus);  // throws for a processor that this process may not use
  return cpus;
}

}  // namespace

void RecordingArguments::apply(TrialSettings& settings) const {
  settings.slowest = slowest;
  settings.interval_s = interval_s;
  settings.noise_s = noise_s;
}

void add_recording_options(Command& command, RecordingArguments& arguments) {
  command.add_option("--interval-s", arguments.interval_s, "length of an interval in the result")
      ->range(0.01, 3600.0)
      ->capture_default_str();
  command.add_option("--slowest", arguments.slowest, "slowest calls kept per thread")
      ->range(0, 1024)
      ->capture_default_str();
  command.add_option("--noise-s", arguments.noise_s, "how long to watch the idle processor first")
      ->range(0.0, 60.0)
      ->capture_default_str();
}

Placement choose_placement(const PlacementArguments& arguments) {
  const std::vector<int>& cpus = initial_cpus();
  const std::size_t reserved = std::min<std::size_t>(cpus.size() - 1, cpus.size() >= 4 ? 2 : 1);
  const std::vector<int> load(cpus.begin() + static_cast<std::ptrdiff_t>(reserved), cpus.end());
  return {.load_cpus = chosen_cpus(arguments.load_cpus, load),
          .controller_cpus = chosen_cpus(arguments.controller_cpus, {cpus.front()}),
          .consumer_cpus = chosen_cpus(arguments.consumer_cpus, {cpus[reserved == 2 ? 1 : 0]})};
}

std::vector<Setting> parse_settings(const std::vector<std::string>& texts) {
  std::vector<Setting> settings;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      throw Error(fmt::format("--set '{}' is not name=value", text), "write --set rate_hz=10000");
    }
    const std::string name = text.substr(0, equals);
    const bool again = std::any_of(settings.begin(), settings.end(),
                                   [&](const Setting& setting) { return setting.name == name; });
    if (again) throw Error(fmt::format("--set {} is given twice", name), "keep one of the two");
    settings.push_back({name, text.substr(equals + 1)});
  }
  return settings;
}

Machine machine_used(const MachineInfo& info) {
  Machine machine{.fingerprint = info.fingerprint,
                  .os = info.os,
                  .kernel = info.kernel,
                  .cpu_model = info.cpu_model,
                  .logical_cpus = info.logical_cpus,
                  .memory_bytes = info.memory_bytes,
                  .hypervisor = info.hypervisor,
                  .details = {}};
  for (const auto& [name, value] : info.details) machine.details.push_back({name, value});
  return machine;
}

Build build_used() {
  const BuildInfo& info = build_info();
  return {.version = info.version,
          .revision = info.revision,
          .dirty = info.dirty,
          .compiler = info.compiler,
          .flags = info.flags,
          .type = info.type};
}

}  // namespace tailgate
