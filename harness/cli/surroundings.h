// What the commands that measure have in common: where the roles run, and what they run on.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/command_line.h"
#include "harness/os/machine.h"
#include "harness/result/result.h"
#include "harness/trial/settings.h"

namespace tailgate {

// Lists of processors as the user gives them: "auto", "any", or "1,2-3".
struct PlacementArguments {
  std::string load_cpus = "auto";
  std::string controller_cpus = "auto";
  std::string consumer_cpus = "auto";
};

// What a trial records besides the distributions.
struct RecordingArguments {
  unsigned slowest = 16;
  double interval_s = 0.2;
  double noise_s = 0.1;

  void apply(TrialSettings& settings) const;
};

// --interval-s, --slowest and --noise-s.
void add_recording_options(Command& command, RecordingArguments& arguments);

// Automatic: one processor for the controller, one for the consumer where there are enough, the
// rest for the load. On two processors the load has one of them to itself. Throws Error that names
// a processor that this process may not use.
Placement choose_placement(const PlacementArguments& arguments);

// "rate_hz=10000" -> {rate_hz, 10000}, each of them. Throws Error that names one without '='.
std::vector<Setting> parse_settings(const std::vector<std::string>& texts);

Machine machine_used(const MachineInfo& info);
Build build_used();

}  // namespace tailgate
