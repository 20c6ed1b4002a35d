// What the processes of a trial read in its shared memory before they begin.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/sink/sink.h"
#include "harness/trial/settings.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

struct ProcessesPlan {
  const SinkChoice& sink;
  const LoadPlan& load;
  const TrialSettings& settings;           // must outlive TrialProcesses
  const std::filesystem::path& directory;  // must not exist yet; must outlive TrialProcesses
  TurnPlan turns = {};
  std::filesystem::path program = {};  // of provider and consumer; empty: this program
  std::vector<std::pair<std::string, std::string>> environment = {};  // added to their environment
  bool contract = false;  // the provider makes the calls of contract.h instead of a load
};

// The processors of the sink's own threads.
const std::vector<int>& sink_cpus(const TrialSettings& settings);

TrialPlan make_plan(const ProcessesPlan& roles);

}  // namespace tailgate
