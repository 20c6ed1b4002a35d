// What a calibration proves in a few figures: the bound of false alarms, and how complete and how
// pure the set of failed gates is (recall, precision). Pure functions of the calibration's rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/gate/calibration.h"

namespace tailgate {

// The share of false alarms that a calibration is to bound.
inline constexpr double kWantedBound = 0.001;

struct CalibrationScore {
  std::string sink;                // empty: all sinks together
  std::uint64_t equal = 0;         // runs with nothing planted
  std::uint64_t false_alarms = 0;  // of these, the runs that failed
  double at_most = 1;              // upper end of their share's exact 95 % interval
  // How many more runs with nothing planted, none of which fails, bound it by kWantedBound.
  std::uint64_t more_equal = 0;
  std::uint64_t changed = 0;  // runs with a change that must be found
  std::uint64_t found = 0;    // of these, the runs that failed; the others were missed

  double recall() const;     // found / changed; 0 without a run
  double precision() const;  // found / all fails; 0 without a fail
  double f_score() const;    // harmonic mean of the two (F1)
};

// The score of all sinks together, then of each in the order of the rows. must_find: the planted
// changes whose true label is a fail; other changes count in neither figure. Empty without rows.
std::vector<CalibrationScore> scores_of(const std::vector<CalibrationRow>& rows,
                                        const std::vector<std::string>& must_find);

// The fewest runs of which `failed` may fail, so that the exact 95 % interval of the share ends at
// `bound` or below; 0 < bound < 1.
std::uint64_t runs_to_bound(std::uint64_t failed, double bound);

}  // namespace tailgate
