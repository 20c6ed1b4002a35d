// What the gate's calibration runs next: which sink, with which planted change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/planted_changes.h"
#include "harness/result/calibration.h"

namespace tailgate {

// The names of the planted changes that must be found.
std::vector<std::string> changes_that_must_fail();

// A sink to calibrate, and its load.
struct CalibratedSink {
  std::string sink;
  std::string scenario;
  std::vector<std::string> settings;  // "name=value"
};

// How many runs are wanted of a sink with a change.
struct WantedRuns {
  CalibratedSink sink;
  const PlantedChange* change;
  std::string load;  // as a record names it: runs at other loads do not count
  unsigned runs = 0;
};

struct CalibrationStep {
  CalibratedSink sink;
  const PlantedChange* change;
  std::string options_a;
  std::string options_b;
};

// The sink and change that has the smallest share of its wanted runs, so that a record stays
// balanced wherever it ends; of equal ones the first in the list. Empty when every number of runs
// is reached.
std::optional<CalibrationStep> next_step(const Calibration& calibration,
                                         const std::vector<WantedRuns>& wanted);

// How many runs are missing, and how long they take, in seconds: each as long as the recorded ones
// on average, or a minute without any.
struct RunsLeft {
  std::uint64_t runs = 0;
  double seconds = 0;
};
RunsLeft runs_left(const Calibration& calibration, const std::vector<WantedRuns>& wanted);

}  // namespace tailgate
