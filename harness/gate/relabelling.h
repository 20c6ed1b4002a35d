// Gates on recorded rounds whose sides a coin exchanges: what calibration.h and make_margins.h
// share.
#pragma once

#include <cstddef>
#include <random>
#include <string>

#include "harness/gate/gate.h"
#include "harness/gate/policy.h"
#include "harness/result/calibration.h"

namespace tailgate {

// With the names and options by which a policy selects its settings for scenario and sink.
DuetSubject subject_of_run(const CalibrationRun& run);

// Without the policy's waivers: they are agreed for the change of a commit, and a planted change is
// none.
MetricsDecision decisions_on(const CalibrationRun& run, const Policy& policy);

// All rounds of one sink's runs under one load with nothing planted, with the metrics and facts
// that every such run has.
struct RoundPool {
  CalibrationRun all;  // the first run, with the rounds of all runs
  std::size_t rounds = 0;
};
RoundPool pool_of_equal(const Calibration& calibration, const std::string& sink,
                        const std::string& load);

// Stalls of side B: one in so many seconds of load, on average.
struct PlantedStall {
  double length_ms = 0;
  double every_s = 0;
};

// Draws the rounds of one gate without replacement: as many as the policy's last look needs, or all
// when there are fewer. A coin exchanges the sides of each round.
CalibrationRun draw_gate(const RoundPool& pool, const Policy& policy, std::mt19937_64& random);

// Gives the rounds kClassLayouts pairs of layouts in memory, in turn, as a duet of two builds has
// them. Each pair multiplies all times of side B by a factor of its own, whose logarithm is normal
// with that standard deviation. spread = 0: the rounds stay as they are, of one pair.
void lay_out(double spread, std::mt19937_64& random, CalibrationRun& run);

// Makes one metric of side B worse: its value of each round times 1 + by.
void worsen(const std::string& metric, double by, CalibrationRun& run);

// Makes side B stall: in each round as many calls more are slow as Poisson's distribution draws for
// the seconds of its load, and stalled_ms, where it is recorded, grows by their time. Other metrics
// stay: so few calls change no quantile up to the 99th.
void add_stalls(const PlantedStall& stall, std::mt19937_64& random, CalibrationRun& run);

}  // namespace tailgate
