#include "harness/result/disturbance.h"

#include <catch2/catch.hpp>

#include "harness/result/latency.h"

namespace tailgate {
namespace {

Latency all_at(std::uint64_t ns, std::uint64_t calls) {
  Histogram histogram{HistogramRange()};
  histogram.record(ns, calls);
  return make_latency(histogram);
}

Trial trial_at(unsigned index, unsigned step, std::uint64_t service_ns) {
  Trial trial;
  trial.index = index;
  trial.step = step;
  trial.outcome = TrialOutcome::completed;
  trial.service = all_at(service_ns, 10);
  trial.response = all_at(2 * service_ns, 10);
  return trial;
}

TEST_CASE("quantiles with and without the trace come from paired trials") {
  Result result;
  result.trials = {trial_at(0, 0, 100), trial_at(1, 0, 100), trial_at(2, 1, 300)};
  result.traced = {trial_at(0, 0, 200), trial_at(1, 0, 200)};
  const std::vector<Disturbance> all = disturbances(result);
  REQUIRE(all.size() == 2);  // step 1 has no traced trial
  CHECK(all[0].measure == "service");
  CHECK(all[0].untraced_trials == 2);
  CHECK(all[0].traced_trials == 2);
  for (const QuantileShift& shift : all[0].quantiles) {
    CHECK(shift.untraced_ns == 100);
    CHECK(shift.traced_ns == 200);
  }
  CHECK(all[1].measure == "response");
  CHECK(all[1].quantiles.front().untraced_ns == 200);
  CHECK(all[1].quantiles.front().traced_ns == 400);
}

TEST_CASE("if a trial of a pair failed, neither trial counts") {
  Result result;
  result.trials = {trial_at(0, 0, 100), trial_at(1, 0, 500)};
  result.traced = {trial_at(0, 0, 200), trial_at(1, 0, 700), trial_at(9, 0, 1)};
  result.trials[1].outcome = TrialOutcome::crashed;
  const std::vector<Disturbance> all = disturbances(result);
  REQUIRE(all.size() == 2);
  CHECK(all[0].untraced_trials == 1);
  CHECK(all[0].quantiles.back().traced_ns == 200);
  result.traced[0].outcome = TrialOutcome::failed;
  CHECK(disturbances(result).empty());
}

}  // namespace
}  // namespace tailgate
