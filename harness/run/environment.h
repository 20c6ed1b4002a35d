// What all trials of one command share: the settings, the machine and the build.
#pragma once

#include <filesystem>
#include <string>

#include "harness/result/result.h"
#include "harness/trial/settings.h"

namespace tailgate {

struct Environment {
  TrialSettings trial;
  Placement placement;
  Machine machine;
  Build build;                    // of this program
  std::string label;              // Result::label, Duet::label
  std::filesystem::path scratch;  // exists; each trial or round gets a folder in it
};

}  // namespace tailgate
