// What scenarios answer about the sink etw, on the library that stands in for Windows' event
// tracing: what it plants, and the limits that it enforces as Microsoft documents them.
#include <catch2/catch.hpp>

#include <cmath>

#include "harness/os/api_windows.h"
#include "harness/os/install_paths.h"
#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;
using Settings = std::vector<std::pair<std::string, std::string>>;

Result answered(const std::string& scenario, const std::string& sink, const Settings& more,
                const wchar_t* fault = L"") {
  const std::filesystem::path folder = executable_path().parent_path();
  _wputenv_s(L"TAILGATE_ETW_LIBRARY", (folder / TAILGATE_ETW_STAND_IN).c_str());
  _wputenv_s(L"TAILGATE_STAND_IN_FAULT", fault);
  Settings settings = {{"duration_s", "0.4"}, {"warmup_s", "0"}};
  if (scenario != "kernel_flags") settings.emplace_back("trials", "1");
  settings.insert(settings.end(), more.begin(), more.end());
  Result result = run_scenario(scenario, sink, settings);
  for (const Trial& trial : result.trials) {
    UNSCOPED_INFO(trial.outcome << " " << trial.outcome_detail);
  }
  REQUIRE(result.answer);
  UNSCOPED_INFO(result.answer->sentence);
  return result;
}

const Settings kToggle = {{"rate_hz", "1000"}, {"off_s", "0.05"}, {"on_s", "0.05"}};

TEST_CASE("toggle says that the provider is told of every command of its session") {
  const Result result = answered("toggle", "etw:commands=all", kToggle);
  const Answer& answer = *result.answer;
  CHECK(answer.holds == true);
  CHECK(figure_value(answer, "commands_sent") >= 7);
  CHECK(figure_value(answer, "commands_not_told") == 0);
  CHECK(figure_value(answer, "captures_sent") >= 3);
  CHECK_THAT(answer.sentence,
             Contains("; its provider is told of all ") &&
                 Contains(" enables and disables, with their level and keywords, of the filter "
                          "data of all ") &&
                 Contains(" requests for its state."));
}

TEST_CASE("toggle finds a request for the provider's state that does not arrive") {
  const Result result = answered("toggle", "etw:commands=all", kToggle, L"capture_lost");
  const Answer& answer = *result.answer;
  CHECK(answer.holds == false);
  CHECK(figure_value(answer, "captures_not_told") >= 1);
  CHECK(figure_value(answer, "commands_not_told") == 0);
}

TEST_CASE("toggle by a rival of etw says what its first session loses") {
  Settings settings = kToggle;
  settings.emplace_back("who_toggles", "rival");
  const Result kept = answered("toggle", "etw", settings);
  CHECK(kept.answer->holds == true);
  CHECK_THAT(kept.answer->sentence, Contains("the first session loses none of"));
  const Result lost = answered("toggle", "etw", settings, L"rival_ends_first");
  CHECK(lost.answer->holds == false);
  settings.back().second = "new_rival";
  const Result started = answered("toggle", "etw", settings);
  CHECK_THAT(started.answer->sentence, Contains("the rival's misses none of its own"));
}

TEST_CASE("sessions names Windows' limits in place of failing") {
  const Settings settings = {{"sessions", "2, 3"}, {"rate_hz", "1000"}};
  const Result of_one = answered("sessions", "etw", settings, L"provider_taken");
  REQUIRE(of_one.answer->cannot.size() == 1);
  CHECK_THAT(of_one.answer->cannot.front(),
             Contains("have 3 sessions of one provider: session 3 of 3: Windows' limit is reached: "
                      "up to 8 sessions can enable a provider"));
  CHECK(figure_value(*of_one.answer, "sessions_2_service_p50_ns") > 0);
  Settings each = settings;
  each.emplace_back("each", "provider");
  const Result of_all = answered("sessions", "etw", each, L"sessions_taken");
  REQUIRE(of_all.answer->cannot.size() == 1);
  CHECK_THAT(of_all.answer->cannot.front(),
             Contains("have 3 sessions of a provider each: session 3 of 3: Windows' limit is "
                      "reached: 64 sessions run at once"));
}

TEST_CASE("contention on etw: what a program that joins in writes comes back whole") {
  const Result result = answered("contention", "etw",
                                 {{"threads", "1"},
                                  {"processes", "1"},
                                  {"rate_hz", "1000"},
                                  {"joins", "true"},
                                  {"duration_s", "3"}});  // a program may take a second to start
  CHECK(result.answer->holds == true);
  CHECK(result.answer->cannot.empty());
  const double missing = figure_value(*result.answer, "joined_missing_events");
  if (std::isnan(missing)) {
    WARN("the program came too late: this machine took long to start it");
  } else {
    CHECK(missing == 0);
  }
}

TEST_CASE("kernel_flags switches flags of Windows' kernel session in turn") {
  const Result result = answered(
      "kernel_flags", "null", {{"groups", "syscalls,timer"}, {"rounds", "2"}, {"rate_hz", "1000"}});
  const Answer& answer = *result.answer;
  // The stand-in writes 50 records in each session.
  CHECK(figure_value(answer, "syscalls_records_per_s") == Approx(50 / 0.4).epsilon(0.5));
  REQUIRE(answer.cannot.size() == 1);
  CHECK_THAT(answer.cannot.front(),
             Contains("switch on timer: Windows' kernel session has no flag for 'timer'"));
  for (const Trial& trial : result.trials) {
    REQUIRE(trial.kernel_events);
    const bool on = trial.kernel_events->group == KernelGroup::syscalls;
    CHECK(trial.kernel_events->records == (on ? 50 : 0));
  }
}

}  // namespace
}  // namespace tailgate
