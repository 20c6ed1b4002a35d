#include "harness/gate/judge_budget.h"

#include <catch2/catch.hpp>

#include "harness/gate/gate.h"

namespace tailgate {
namespace {

using Catch::Contains;

// A completed trial in which every quantile was `time_ns`.
Trial trial_of(unsigned index, std::uint64_t time_ns) {
  Trial trial;
  trial.index = index;
  trial.outcome = TrialOutcome::completed;
  trial.measured = 20'000;
  trial.achieved_rate_hz = 19'999;
  for (Latency* times : {&trial.response, &trial.service}) {
    times->count = 20'000;
    times->p50_ns = times->p90_ns = times->p99_ns = times->p99_9_ns = times->max_ns = time_ns;
  }
  trial.ledger.checked = true;
  trial.ledger.emitted = 25'000;
  trial.ledger.delivered = 25'000;
  return trial;
}

Result result_of(const std::vector<std::uint64_t>& times_ns) {
  Result result;
  result.complete = true;
  result.sink.name = "file";
  result.sink.label = "file:mode=mmap";
  result.scenario.name = "steady";
  for (const std::uint64_t time_ns : times_ns) {
    result.trials.push_back(trial_of(static_cast<unsigned>(result.trials.size()), time_ns));
  }
  StepSummary step;
  step.rate_hz = 20'000;
  step.trials = static_cast<unsigned>(times_ns.size());
  result.summary.push_back(step);
  return result;
}

BudgetVerdicts judged(const Result& result, const std::string& budget) {
  return judge_budgets({parse_budget(budget)}, {{"a.json", &result}});
}

// The verdict on the only bound.
BoundVerdict bound_of(const Result& result, const std::string& bound) {
  const BudgetVerdicts verdicts = judged(result, "file: " + bound);
  REQUIRE(verdicts.list.size() == 1);
  REQUIRE(verdicts.list.front().bounds.size() == 1);
  CHECK(verdicts.outcome() == verdicts.list.front().bounds.front().outcome);
  return verdicts.list.front().bounds.front();
}

TEST_CASE("the whole interval within the bound passes, wholly outside fails, else inconclusive") {
  // Mean 50 us, standard deviation 1 us, t(0.975, 4) = 2.776: the interval is 48.76 to 51.24 us.
  const Result result = result_of({48'735, 49'368, 50'000, 50'632, 51'265});
  const BoundVerdict verdict = bound_of(result, "p99 < 52us");
  CHECK(verdict.outcome == VerdictOutcome::pass);
  CHECK(verdict.method == BoundMethod::mean);
  CHECK(*verdict.value == Approx(50'000));
  CHECK(*verdict.low == Approx(48'758).margin(5));
  CHECK(*verdict.high == Approx(51'242).margin(5));
  CHECK(bound_of(result, "p99 < 48us").outcome == VerdictOutcome::fail);
  const BoundVerdict open = bound_of(result, "p99 < 51us");
  CHECK(open.outcome == VerdictOutcome::inconclusive);
  REQUIRE(open.trials_needed);
  CHECK(*open.trials_needed > 5);
  CHECK(*open.trials_needed < 20);
  CHECK_FALSE(bound_of(result, "p99 < 50us").trials_needed);
}

TEST_CASE("from six trials on no shape of distribution is assumed") {
  // One trial was disturbed: by Student's t, 5 to 30 us would be within the interval.
  const Result result =
      result_of({10'000, 10'100, 10'200, 10'300, 10'400, 10'500, 10'600, 10'700, 90'000});
  const BoundVerdict verdict = bound_of(result, "p99 < 11us");
  CHECK(verdict.outcome == VerdictOutcome::pass);
  CHECK(verdict.method == BoundMethod::median);
  CHECK(*verdict.low == 10'100);
  CHECK(*verdict.high == 10'700);
}

TEST_CASE("the relation decides what is within at the limit itself") {
  const Result result = result_of({5000, 5000, 5000});
  CHECK(bound_of(result, "p99 <= 5us").outcome == VerdictOutcome::pass);
  CHECK(bound_of(result, "p99 < 5us").outcome == VerdictOutcome::fail);
}

TEST_CASE("every figure has its own value") {
  Result result = result_of({1000, 1000, 1000});
  for (Trial& trial : result.trials) {
    trial.response.p50_ns = 1;
    trial.response.p90_ns = 2;
    trial.response.p99_ns = 3;
    trial.response.p99_9_ns = 4;
    trial.response.max_ns = 5;
    trial.service.p50_ns = 11;
    trial.service.p90_ns = 12;
    trial.service.p99_ns = 13;
    trial.service.p99_9_ns = 14;
    trial.service.max_ns = 15;
  }
  const auto value = [&](const std::string& name) {
    return *bound_of(result, name + " < 1s").value;
  };
  CHECK(value("p50") == 1);
  CHECK(value("p90") == 2);
  CHECK(value("p99") == 3);
  CHECK(value("p99.9") == 4);
  CHECK(value("max") == 5);
  CHECK(value("service p50") == 11);
  CHECK(value("service p90") == 12);
  CHECK(value("service p99") == 13);
  CHECK(value("service p99.9") == 14);
  CHECK(value("service max") == 15);
}

TEST_CASE("one trial alone has no interval, but what it lost was counted") {
  Result result = result_of({1000});
  const BoundVerdict time = bound_of(result, "p99 < 50us");
  CHECK(time.outcome == VerdictOutcome::inconclusive);
  CHECK(time.method == BoundMethod::single);
  CHECK(*time.value == 1000);
  CHECK_FALSE(time.low);
  CHECK(bound_of(result, "lost = 0").outcome == VerdictOutcome::pass);
  result.trials[0].ledger.lost = 1;
  result.trials[0].ledger.delivered -= 1;
  CHECK(bound_of(result, "lost = 0").outcome == VerdictOutcome::fail);
  CHECK(bound_of(result, "lost <= 1").outcome == VerdictOutcome::pass);
  CHECK(bound_of(result, "lost < 0.01%").outcome == VerdictOutcome::pass);
  CHECK(bound_of(result, "lost < 0.003%").outcome == VerdictOutcome::fail);
}

TEST_CASE("lost events of the worst trial count, and fail a budget whatever else is wrong") {
  Result result = result_of({1000, 1000, 1000});
  result.trials[1].ledger.lost = 5;
  result.trials[1].ledger.delivered -= 5;
  CHECK(*bound_of(result, "lost <= 5").value == 5);
  CHECK(bound_of(result, "lost <= 5").outcome == VerdictOutcome::pass);
  CHECK(bound_of(result, "lost < 5").outcome == VerdictOutcome::fail);
  result.trials[0].noise.lost_share = 0.5;
  CHECK(bound_of(result, "lost < 5").outcome == VerdictOutcome::fail);
  CHECK(bound_of(result, "lost <= 5").outcome == VerdictOutcome::invalid);
  const BudgetVerdicts verdicts = judged(result, "file: p99 < 50us, lost = 0");
  CHECK(verdicts.list[0].bounds[0].outcome == VerdictOutcome::invalid);
  CHECK(verdicts.outcome() == VerdictOutcome::fail);
}

TEST_CASE("a rate is reached at 99 percent of it, as everywhere") {
  const Result result = result_of({1000, 1000, 1000});
  CHECK(bound_of(result, "rate >= 20k").outcome == VerdictOutcome::pass);
  CHECK(bound_of(result, "rate >= 20.1k").outcome == VerdictOutcome::pass);
  CHECK(bound_of(result, "rate >= 20.3k").outcome == VerdictOutcome::fail);
}

RoleUse use_of(const char* role, std::uint64_t cpu_ns, std::uint64_t rss_bytes) {
  RoleUse use;
  use.role = role;
  use.processes = 1;
  use.counters.cpu_ns = cpu_ns;
  use.counters.rss_bytes = rss_bytes;
  return use;
}

// 2000 ns an event above the control trials, and 1 MB of memory.
Result with_overhead() {
  Result result = result_of({1000, 1000, 1000});
  for (Trial& trial : result.trials) {
    Overhead overhead;
    overhead.events = 20'000;
    overhead.processors = 2;
    overhead.start_ns = 0;
    overhead.end_ns = 1'000'000'000;
    overhead.roles = {use_of("provider", 30'000'000, 5'000'000),
                      use_of("daemons", 20'000'000, 1'000'000)};
    trial.overhead = overhead;
    Trial control = trial;
    control.overhead->roles = {use_of("provider", 10'000'000, 5'000'000)};
    result.controls.push_back(control);
  }
  return result;
}

TEST_CASE("processor time and memory are those of logging, above the control trials") {
  Result result = with_overhead();
  const BoundVerdict cpu = bound_of(result, "cpu < 2.5us");
  CHECK(cpu.outcome == VerdictOutcome::pass);
  CHECK(*cpu.value == Approx(2000));
  CHECK(bound_of(result, "cpu < 1.5us").outcome == VerdictOutcome::fail);
  const BoundVerdict rss = bound_of(result, "rss < 2MB");
  CHECK(rss.outcome == VerdictOutcome::pass);
  CHECK(*rss.value == Approx(1e6));
  // Without control trials, tailgate's own use is in it: too much proves nothing.
  result.controls.clear();
  CHECK(bound_of(result, "cpu < 2.6us").outcome == VerdictOutcome::pass);
  const BoundVerdict open = bound_of(result, "cpu < 2us");
  CHECK(open.outcome == VerdictOutcome::invalid);
  CHECK_THAT(open.invalid.what, Contains("control"));
  CHECK_THAT(bound_of(result_of({1, 1}), "cpu < 2us").invalid.what, Contains("not measured"));
}

TEST_CASE("trials that may not be judged make every bound invalid, with the reason") {
  Result result = with_overhead();
  std::string said;
  SECTION("the machine was busy") {
    result.trials[2].noise.lost_share = 0.12;
    said = "the machine was busy in 1 of 3 trials: an idle thread did not run for up to 12 %";
  }
  SECTION("events are unaccounted for") {
    result.trials[0].ledger.unaccounted = 1;
    said = "unaccounted";
  }
  SECTION("events were not read back though they should have been") {
    result.trials[0].ledger.unchecked_cause = "the consumer ended";
    said = "read back";
  }
  SECTION("a trial did not complete") {
    result.trials[1].outcome = TrialOutcome::crashed;
    result.trials[1].outcome_detail = "SIGSEGV";
    said = "1 of 3 trials did not complete (trial 1: crashed, SIGSEGV)";
  }
  SECTION("the use of the result is restricted") {
    result.label = "Wine: smoke, not Windows";
    said = "Wine: smoke";
  }
  for (const char* bound : {"p99 < 1s", "p99 < 1ns", "service p50 < 1s", "lost = 0", "cpu < 1s",
                            "rate >= 1", "rss < 1GB"}) {
    INFO(bound);
    const BoundVerdict verdict = bound_of(result, bound);
    CHECK(verdict.outcome == VerdictOutcome::invalid);
    CHECK_THAT(verdict.invalid.what, Contains(said));
    CHECK_FALSE(verdict.invalid.remedy.empty());
  }
}

TEST_CASE("a quantile with fewer than ten calls beyond it in some trial is invalid") {
  Result result = result_of({1000, 1000, 1000});
  result.trials[1].response.count = 9'999;
  const BoundVerdict few = bound_of(result, "p99.9 < 50us");
  CHECK(few.outcome == VerdictOutcome::invalid);
  CHECK_THAT(few.invalid.what, Contains("9999 calls") && Contains("decided by 9 of them"));
  CHECK_THAT(few.invalid.remedy, Contains("10000 calls"));
  CHECK(bound_of(result, "service p99.9 < 50us").outcome == VerdictOutcome::pass);
  CHECK(bound_of(result, "p99 < 50us").outcome == VerdictOutcome::pass);
  CHECK(bound_of(result, "max < 50us").outcome == VerdictOutcome::pass);
  result.trials[1].response.count = 10'000;
  CHECK(bound_of(result, "p99.9 < 50us").outcome == VerdictOutcome::pass);
}

TEST_CASE("response times are lower bounds where events were never emitted") {
  Result result = result_of({1000, 1000, 1000});
  result.trials[0].unissued = 7;
  CHECK(bound_of(result, "p99 < 50us").outcome == VerdictOutcome::invalid);
  CHECK(bound_of(result, "p99 < 500ns").outcome == VerdictOutcome::fail);
  CHECK(bound_of(result, "service p99 < 50us").outcome == VerdictOutcome::pass);
}

TEST_CASE("without events that were read back nobody knows that none was lost") {
  Result result = result_of({1000, 1000});
  for (Trial& trial : result.trials) trial.ledger.checked = false;
  CHECK(bound_of(result, "lost = 0").outcome == VerdictOutcome::invalid);
  CHECK(bound_of(result, "p99 < 50us").outcome == VerdictOutcome::pass);
  result.trials[0].ledger.lost = 3;  // that the sink itself reports
  CHECK(bound_of(result, "lost = 0").outcome == VerdictOutcome::fail);
}

TEST_CASE("a budget that no result is for is invalid, and says what was measured and what to run") {
  const Result result = result_of({1000, 1000});
  const BudgetVerdicts verdicts = judged(result, "spdlog@5k: p99 < 50us, lost = 0");
  REQUIRE(verdicts.list.size() == 1);
  CHECK(verdicts.outcome() == VerdictOutcome::invalid);
  CHECK(verdict_exit_code(verdicts.outcome()) == 4);
  CHECK(verdicts.list[0].bounds.size() == 2);
  const Remark& reason = verdicts.list[0].invalid.at(0);
  CHECK_THAT(reason.what, Contains("spdlog@5k") && Contains("steady@file:mode=mmap@20k"));
  CHECK_THAT(reason.remedy, Contains("tailgate run steady --sink spdlog --set rate_hz=5000"));
}

TEST_CASE("each step that a budget matches is judged by itself, and the worst counts") {
  Result result = result_of({1000, 1000, 1000});
  StepSummary step;
  step.step = 1;
  step.rate_hz = 40'000;
  result.summary.push_back(step);
  for (unsigned i = 0; i < 3; ++i) {
    Trial trial = trial_of(3 + i, 90'000);
    trial.step = 1;
    result.trials.push_back(trial);
  }
  const BudgetVerdicts verdicts = judged(result, "file: p99 < 50us");
  REQUIRE(verdicts.list.size() == 2);
  CHECK(verdicts.list[0].outcome == VerdictOutcome::pass);
  CHECK(verdicts.list[1].outcome == VerdictOutcome::fail);
  CHECK(verdicts.list[1].rate_hz == 40'000);
  CHECK(verdicts.outcome() == VerdictOutcome::fail);
  CHECK(judged(result, "file@20k: p99 < 50us").outcome() == VerdictOutcome::pass);
  CHECK(judged(result, "file@20k: p99 < 50us, lost = 0").list[0].trials == 3);
}

}  // namespace
}  // namespace tailgate
