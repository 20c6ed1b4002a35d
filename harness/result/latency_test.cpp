#include "harness/result/latency.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/result/distributions.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

// Values 1, 2 … 1000: below 2000 every value has its own slot, so quantiles are exact.
Histogram one_to_thousand() {
  Histogram histogram{HistogramRange()};
  for (std::uint64_t value = 1; value <= 1000; ++value) histogram.record(value);
  return histogram;
}

Trial trial_with(unsigned step, double achieved_rate_hz, std::uint64_t service_ns) {
  Trial trial;
  trial.step = step;
  trial.outcome = TrialOutcome::completed;
  trial.load.rate_hz = 1000;
  trial.achieved_rate_hz = achieved_rate_hz;
  trial.rate_missed = achieved_rate_hz < 990;
  Histogram histogram{HistogramRange()};
  histogram.record(service_ns);
  trial.service = make_latency(histogram);
  trial.response = make_latency(histogram);
  return trial;
}

TEST_CASE("a latency contains the quantiles of its histogram") {
  const Latency latency = make_latency(one_to_thousand());
  CHECK(latency.count == 1000);
  CHECK(latency.min_ns == 1);
  CHECK(latency.mean_ns == Approx(500.5));
  CHECK(latency.p50_ns == 500);
  CHECK(latency.p90_ns == 900);
  CHECK(latency.p99_ns == 990);
  CHECK(latency.p99_9_ns == 999);
  CHECK(latency.p99_99_ns == 1000);
  CHECK(latency.max_ns == 1000);
  CHECK(latency.overflow == 0);
}

TEST_CASE("decoding a latency returns its histogram") {
  CHECK(decode_latency(make_latency(one_to_thousand())) == one_to_thousand());
  Histogram overflowing{HistogramRange{.highest_trackable = 1000}};
  overflowing.record(5);
  overflowing.record(1'000'000, 3);
  const Latency latency = make_latency(overflowing);
  CHECK(latency.overflow == 3);
  CHECK(decode_latency(latency) == overflowing);
  CHECK(decode_latency(Latency()).total_count() == 0);
  CHECK(decode_latency(make_latency(Histogram(HistogramRange()))).total_count() == 0);
}

TEST_CASE("a distribution that is damaged or does not match its count is refused") {
  Latency latency = make_latency(one_to_thousand());
  latency.count = 999;
  CHECK_THROWS_WITH(decode_latency(latency),
                    Catch::StartsWith("the distribution has 1000 values, but its count is 999"));
  latency.hdr.resize(latency.hdr.size() / 2);
  CHECK_THROWS_AS(decode_latency(latency), Error);
  latency.hdr.clear();
  CHECK_THROWS_AS(decode_latency(latency), Error);
}

TEST_CASE("a summary merges the completed trials of each step") {
  Result result;
  result.trials = {trial_with(1, 900, 70), trial_with(0, 1000, 10), trial_with(0, 998, 30),
                   trial_with(1, 1000, 50), trial_with(1, 980, 60)};
  result.trials.push_back(trial_with(0, 1, 999));
  result.trials.back().outcome = TrialOutcome::killed;
  const std::vector<StepSummary> summary = summarize(result);
  REQUIRE(summary.size() == 2);
  CHECK(summary[0].step == 0);
  CHECK(summary[0].trials == 2);
  CHECK(summary[0].rate_hz == 1000);
  CHECK(summary[0].achieved_rate_hz == 998);
  CHECK_FALSE(summary[0].saturated);
  CHECK(summary[0].service.count == 2);
  CHECK(summary[0].response.max_ns == 30);
  CHECK_FALSE(summary[0].delivery.has_value());
  CHECK(summary[1].trials == 3);
  CHECK(summary[1].achieved_rate_hz == 980);
  CHECK(summary[1].saturated);
  CHECK(summary[1].service.p50_ns == 60);
}

// The fault of a step of these trials; nothing where it is not saturated or nobody knows.
std::optional<bool> fault_of_machine(const std::vector<Trial>& trials) {
  Result result;
  result.trials = trials;
  return summarize(result).at(0).saturated_by_machine;
}

TEST_CASE("a step is saturated by the machine unless the sink's own misses reach the median") {
  const Trial held = trial_with(0, 1000, 10);
  const Trial unknown = trial_with(0, 500, 10);
  Trial by_machine = unknown;
  by_machine.missed_by_machine = true;
  Trial by_sink = unknown;
  by_sink.missed_by_machine = false;
  CHECK(fault_of_machine({held, by_machine, by_machine}) == true);
  CHECK(fault_of_machine({by_machine}) == true);
  CHECK(fault_of_machine({by_sink, by_machine, by_machine}) == true);
  CHECK(fault_of_machine({by_sink, by_sink, by_machine}) == false);
  CHECK(fault_of_machine({by_sink, by_machine}) == false);  // the lower of the two middle trials
  CHECK(fault_of_machine({by_sink}) == false);
  CHECK_FALSE(fault_of_machine({held, held, by_machine}));
  CHECK_FALSE(fault_of_machine({unknown}));
}

TEST_CASE("a step whose trials all failed has an empty summary") {
  Result result;
  result.trials = {trial_with(0, 10, 10)};
  result.trials[0].outcome = TrialOutcome::hung;
  const std::vector<StepSummary> summary = summarize(result);
  REQUIRE(summary.size() == 1);
  CHECK(summary[0].trials == 0);
  CHECK(summary[0].service.count == 0);
  CHECK(summary[0].rate_hz == 1000);
}

TEST_CASE("a summary names the trial whose distribution is damaged") {
  Result result;
  result.trials = {trial_with(0, 10, 10)};
  result.trials[0].index = 6;
  result.trials[0].response.hdr = "HISTnonsense";
  CHECK_THROWS_WITH(summarize(result), Catch::StartsWith("trial 6: "));
}

TEST_CASE("a damaged distribution of a step or a trial is found, and said whose it is") {
  const Result whole = sample_result();
  CHECK_NOTHROW(check_distributions(whole));
  Result trial = whole;
  trial.trials[1].start_lag.hdr.resize(10);
  CHECK_THROWS_WITH(check_distributions(trial),
                    Catch::StartsWith("a histogram of trial 1 is damaged: "));
  Result step = whole;
  step.summary[0].response.hdr = "HISTnonsense";
  CHECK_THROWS_WITH(check_distributions(step),
                    Catch::StartsWith("a histogram of step 0 is damaged: "));
}

TEST_CASE("the sample result matches its description") {
  const Result result = sample_result();
  REQUIRE(result.summary.size() == 1);
  const StepSummary& step = result.summary[0];
  CHECK(step.trials == 3);
  CHECK(step.service.count == 60'000);
  // Values 1000 … 20,000,000 ns in steps of 1000; the histogram's precision is 0.1 %.
  CHECK(static_cast<double>(step.service.p50_ns) == Approx(10'000'000).epsilon(0.001));
  CHECK(static_cast<double>(step.service.p99_ns) == Approx(19'800'000).epsilon(0.001));
  CHECK(static_cast<double>(step.response.max_ns) == Approx(20'000'502).epsilon(0.001));
  CHECK(step.delivery.has_value());
}

}  // namespace
}  // namespace tailgate
