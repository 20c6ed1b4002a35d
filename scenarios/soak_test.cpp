// What a soak answers, on sinks that leak or become slower as planted, and on one that does not.
#include <catch2/catch.hpp>

#include <string>

#include "harness/result/latency.h"
#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

const Scenario& soak() {
  return test_catalog().scenarios.find("soak");
}

using Settings = std::vector<std::pair<std::string, std::string>>;

Result soaked(const std::string& sink, const Settings& more = {}) {
  Settings settings = {{"rate_hz", "1000"}, {"duration_s", "2.6"}, {"warmup_s", "0.2"}};
  settings.insert(settings.end(), more.begin(), more.end());
  return run_scenario("soak", sink, settings);
}

// Whether the sentence says that it grows.
bool is_told(const Answer& answer, const std::string& words) {
  return answer.sentence.find("it drifts: ") != std::string::npos &&
         answer.sentence.find(words + " by ") != std::string::npos;
}

constexpr double kHour_s = 3600;

TEST_CASE("soak: memory that each call keeps is told, as much as it is", "[long]") {
  const Result result = soaked("synthetic:leak_bytes=4000");
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK(result.answer->holds == false);
  CHECK(is_told(*result.answer, "the program's own memory"));
  CHECK(figure_value(*result.answer, "program_private_bytes_per_h") ==
        Approx(4000 * 1000 * kHour_s).epsilon(0.1));
}

TEST_CASE("soak: calls that become slower are told", "[long]") {
  const Result result =
      soaked("synthetic:service_ns=50_000:drift_ns_per_s=50_000", {{"duration_s", "6"}});
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK(result.answer->holds == false);
  // Each is in both; neighbours that resemble each other may hide one of them in a few seconds.
  CHECK((is_told(*result.answer, "service p50") || is_told(*result.answer, "response p50")));
  CHECK(figure_value(*result.answer, "service_p50_ns_per_h") ==
        Approx(50e3 * kHour_s).epsilon(0.1));
}

TEST_CASE("soak: a sink that keeps nothing has steady memory and descriptors", "[long]") {
  const Result result = soaked("synthetic");
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK_FALSE(is_told(*result.answer, "own memory"));
  CHECK_FALSE(is_told(*result.answer, "descriptors"));
  CHECK(figure_value(*result.answer, "program_private_bytes_per_h") == Approx(0).margin(100e6));
  CHECK(result.controls.empty());
}

TEST_CASE("soak: it ends at its limit, and says so", "[long]") {
  const Result result =
      soaked("synthetic:refuse_every=10", {{"duration_s", "60"}, {"end_at_refused_events", "50"}});
  CHECK(result.complete);
  REQUIRE(result.trials.size() == 1);
  const Trial& trial = result.trials.front();
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.unaccounted == 0);
  REQUIRE(trial.ended_early);
  CHECK(trial.ended_early->limit == "end_at_refused_events");
  CHECK(trial.ended_early->value >= 50);
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK(result.answer->holds == false);
  CHECK_THAT(result.answer->sentence, Contains("It ended early, after") &&
                                          Contains("were refused (end_at_refused_events = 50)"));
}

// Keeps the first checkpoint.
class FirstCheckpoint : public SilentObserver {
 public:
  void changed(const Result& run) override {
    const bool interrupted =
        !run.trials.empty() && run.trials.back().outcome == TrialOutcome::interrupted;
    if (interrupted && !kept) kept = run;
  }
  std::optional<Result> kept;
};

RunRequest soak_request(const Settings& settings) {
  Options options(soak().options(), "scenario 'soak'");
  for (const auto& [option, value] : settings) options.set(option, value);
  return {.scenario = &soak(),
          .options = options,
          .sink = test_catalog().sinks.choice("synthetic"),
          .preset = "",
          .sinks = &test_catalog().sinks};
}

TEST_CASE("soak: a checkpoint is a result that a later run goes on from", "[long]") {
  RunRequest request =
      soak_request({{"duration_s", "2.2"}, {"checkpoint_s", "0.5"}, {"warmup_s", "0"}});
  FirstCheckpoint observer;
  run_request(request, observer);
  REQUIRE(observer.kept);
  const Result earlier = *observer.kept;
  CHECK_FALSE(earlier.complete);
  REQUIRE(earlier.trials.size() == 1);
  CHECK(earlier.trials.front().measured >= 400);
  CHECK(earlier.trials.front().intervals.size() >= 2);
  CHECK(earlier.trials.front().storage);
  CHECK(earlier.trials.front().ledger.unchecked());
  REQUIRE(earlier.answer);
  CHECK_THAT(earlier.answer->sentence, Contains("--resume goes on"));
  CHECK_FALSE(earlier.answer->holds);

  request.earlier = earlier;
  const Result result = run_request(request);
  CHECK(result.complete);
  CHECK(result.id == earlier.id);
  REQUIRE(result.trials.size() == 2);
  CHECK(result.trials[1].step == 1);
  CHECK(result.trials[0].load.duration_s == 2.2);
  const double recorded_s = result.trials[0].load.duration_s - result.trials[1].load.duration_s;
  CHECK(recorded_s == Approx(0.5).margin(0.2));
  REQUIRE(result.resumed);
  REQUIRE(result.resumed->size() == 1);
  CHECK(result.resumed->front().trial == 1);
  CHECK(result.resumed->front().stopped_utc == earlier.finished_utc);
  CHECK_THAT(result.answer->sentence, Contains("It was interrupted and resumed"));
}

TEST_CASE("soak: a run goes on only with the same options, machine and build") {
  RunRequest request = soak_request({{"duration_s", "5"}});
  Result earlier;
  earlier.sink.label = "synthetic";
  for (const auto& [name, value] : request.options.resolved()) {
    earlier.scenario.options.push_back({name, value});
  }
  check_resumable(request, earlier, {}, {});
  Machine other_machine;
  other_machine.fingerprint = "other";
  Build other_build;
  other_build.revision = "other";
  CHECK_THROWS_WITH(check_resumable(request, earlier, other_machine, {}),
                    Contains("another machine or build"));
  CHECK_THROWS_WITH(check_resumable(request, earlier, {}, other_build),
                    Contains("another machine or build"));
  request.options.set("duration_s", "6");
  CHECK_THROWS_WITH(check_resumable(request, earlier, {}, {}), Contains("other options"));
  request.scenario = &test_catalog().scenarios.find("steady");
  CHECK_THROWS_WITH(check_resumable(request, earlier, {}, {}), Contains("cannot be resumed"));
}

TEST_CASE("soak: what is left is planned, unless the program ended by itself") {
  Options options(soak().options(), "scenario 'soak'");
  options.set("duration_s", "100");
  const auto after = [&](bool interrupted, double recorded_s) {
    StepTrial trial;
    trial.interrupted = interrupted;
    trial.recorded_s = recorded_s;
    return soak().next_step(options, std::vector<StepOutcome>{{.load = {}, .trials = {trial}}});
  };
  CHECK(soak().next_step(options, {})->duration_s == 100);
  CHECK(after(true, 30)->duration_s == 70);
  CHECK_FALSE(after(true, 99.5));
  CHECK_FALSE(after(false, 30));
}

constexpr std::uint64_t kMinute_ns = 60'000'000'000;

// A soak of an hour with an interval each minute: `at` gives the minute's p99 in ns, own memory in
// bytes, and descriptors.
struct Minute {
  std::uint64_t p99_ns;
  std::uint64_t bytes;
  std::uint64_t descriptors;
};

template <class At>
Trial hour(At at) {
  Trial trial;
  trial.outcome = TrialOutcome::completed;
  trial.load.rate_hz = 1000;
  trial.start_ns = kMinute_ns;
  trial.end_ns = 61 * kMinute_ns;
  trial.measured = 3'600'000;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Minute minute = at(i);
    Interval interval;
    interval.start_ns = (i + 1) * kMinute_ns;
    interval.end_ns = interval.start_ns + kMinute_ns;
    Histogram calls{HistogramRange{}};
    calls.record(1000, 490);
    calls.record(minute.p99_ns, 10);
    interval.response = interval.service = make_latency(calls);
    RoleUse program;
    program.role = "provider";
    program.processes = 1;
    program.counters.private_bytes = minute.bytes;
    program.counters.descriptors = minute.descriptors;
    interval.roles = {program};
    trial.intervals.push_back(interval);
  }
  return trial;
}

Answer answer_on(std::vector<Trial> trials, std::optional<std::vector<Resumption>> resumed = {}) {
  Result result;
  result.scenario.name = "soak";
  result.sink.label = "x";
  result.trials = std::move(trials);
  result.resumed = std::move(resumed);
  const auto answer = soak().answer(result);
  REQUIRE(answer);
  return *answer;
}

// Scatters from 0 to 100, without a trend.
std::uint64_t noise(std::uint64_t i) {
  const std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15;
  return ((mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9 >> 33) % 101;
}

TEST_CASE("soak: noise around a level holds") {
  const Answer answer = answer_on({hour([](std::uint64_t i) {
    return Minute{5000 + 10 * noise(i), 1'000'000 + 4096 * noise(i), 12};
  })});
  INFO(answer.sentence);
  CHECK(answer.holds == true);
  CHECK_THAT(answer.sentence, Contains("ran for 60 min: nothing drifts upward: response p99"));
  CHECK_THAT(answer.sentence, Contains("the program's descriptors 12 (0 per h)"));
  const AnswerFigure& slope = figure_of(answer, "response_p99_ns_per_h");
  REQUIRE(slope.low);
  CHECK(*slope.low < 0);
  CHECK(*slope.high > 0);
  CHECK(figure_value(answer, "response_p99_9_ns") != figure_value(answer, "response_p99_9_ns"));
}

TEST_CASE("soak: each drift is found, and none that is too small to matter") {
  const Answer slower = answer_on({hour([](std::uint64_t i) {
    return Minute{5000 + 50 * i + 10 * noise(i), 1'000'000, 12};
  })});
  INFO(slower.sentence);
  CHECK(slower.holds == false);
  CHECK_THAT(slower.sentence, Contains("it drifts: response p99 by"));
  CHECK(figure_value(slower, "response_p99_ns_per_h") == Approx(3000).epsilon(0.15));

  const Answer leak = answer_on({hour([](std::uint64_t i) {
    return Minute{5000 + 10 * noise(i), 1'000'000 + 20'000 * i * i, 12 + i / 20};
  })});
  INFO(leak.sentence);
  CHECK(leak.holds == false);
  CHECK_THAT(leak.sentence, Contains("the program's own memory by"));
  CHECK(figure_value(leak, "program_descriptors_per_h") == Approx(3).epsilon(0.2));

  const Answer little = answer_on({hour([](std::uint64_t i) {
    return Minute{5000 + i, 1'000'000 + 4096 * (i / 10), 12 - i / 30};
  })});
  INFO(little.sentence);
  CHECK(little.holds == true);
}

TEST_CASE("soak: memory that grows once at the beginning, and then not, does not drift") {
  const Answer answer = answer_on({hour([](std::uint64_t i) {
    return Minute{5000 + 10 * noise(i), i < 5 ? 1'000'000 + 1'000'000 * i : 6'000'000, 12};
  })});
  INFO(answer.sentence);
  CHECK(answer.holds == true);
}

TEST_CASE("soak: a new program in a later part is no drift") {
  const auto steady = [](std::uint64_t level) {
    return hour([=](std::uint64_t i) {
      return Minute{5000 + 10 * noise(i), level + 4096 * noise(i), level / 100'000};
    });
  };
  Trial first = steady(1'000'000);
  first.outcome = TrialOutcome::interrupted;
  const Answer answer =
      answer_on({first, steady(90'000'000)},
                std::vector<Resumption>{{1, "2026-01-01T00:00:00Z", "2026-01-01T00:30:00Z"}});
  INFO(answer.sentence);
  CHECK(answer.holds == true);
  CHECK_THAT(answer.sentence,
             Contains("nothing measured from 2026-01-01T00:00:00Z to 2026-01-01T00:30:00Z"));
}

TEST_CASE("soak: a crash ends it, and a few seconds have no trend") {
  Trial trial = hour([](std::uint64_t) { return Minute{5000, 1'000'000, 12}; });
  trial.outcome = TrialOutcome::crashed;
  trial.outcome_detail = "the provider ended by signal 11";
  const Answer crashed = answer_on({trial});
  CHECK(crashed.holds == false);
  CHECK_THAT(crashed.sentence, Contains("It ended after 60 min: crashed: the provider ended"));
  trial.outcome = TrialOutcome::completed;
  trial.intervals.resize(5);
  const Answer brief = answer_on({trial});
  CHECK_FALSE(brief.holds);
  CHECK_THAT(brief.sentence, Contains("too short for a trend, which needs 10 intervals"));
}

}  // namespace
}  // namespace tailgate
