// What the scenario kernel_flags answers: of trials with known times, and of a sink that makes a
// known number of system calls.
#include <catch2/catch.hpp>

#include <cmath>

#include "harness/base/error.h"
#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

const Scenario& kernel_flags() {
  return test_catalog().scenarios.find("kernel_flags");
}

// By how much a group makes calls of 1000 ns longer, and what it records in a second.
struct Planted {
  std::uint64_t call_ns = 0;
  std::uint64_t records = 0;
  std::uint64_t cpu_ns = 0;
  const char* refused = "";
};

// Six rounds of half a second, each slower than the one before by more than any group costs.
Result made(const std::string& groups, const std::map<KernelGroup, Planted>& planted) {
  Result result;
  result.scenario.name = "kernel_flags";
  result.scenario.options = {{"groups", groups}, {"rounds", "6"}};
  result.sink.label = "file";
  const Options options = given_options(kernel_flags(), result);
  const std::size_t steps = kernel_flags().max_steps(options);
  for (std::size_t step = 0; step < steps; ++step) {
    const KernelGroup group = *kernel_flags().kernel_group(options, step);
    const auto it = planted.find(group);
    const Planted costs = it == planted.end() ? Planted{} : it->second;
    const std::uint64_t round = step / (steps / 6);
    Trial trial;
    trial.step = static_cast<unsigned>(step);
    trial.load.rate_hz = 10'000;
    trial.outcome = TrialOutcome::completed;
    trial.service.count = 5000;
    trial.service.p50_ns = 1000 + 10'000 * round + costs.call_ns;
    trial.service.mean_ns = static_cast<double>(trial.service.p50_ns);
    trial.floor.two_clock_reads_ns = 27;
    trial.kernel_events = {.group = group,
                           .on_ns = 500'000'000,
                           .records = costs.records / 2,
                           .record_bytes = 16 * costs.records / 2,
                           .rejected = 0,
                           .refused = costs.refused};
    RoleUse machine{.role = "machine", .processes = 0, .ended = 0, .counters = {}};
    machine.counters.cpu_ns = 300'000'000 + 1'000'000 * round + costs.cpu_ns / 2;
    RoleUse provider{.role = "provider", .processes = 1, .ended = 0, .counters = {}};
    provider.counters.spun_ns = 100'000'000;
    trial.overhead.emplace();
    trial.overhead->start_ns = 1'000'000'000;
    trial.overhead->end_ns = 1'500'000'000;
    trial.overhead->roles = {provider, machine};
    result.trials.push_back(std::move(trial));
  }
  return result;
}

TEST_CASE("kernel_flags: differences are within a round, with records and processor time") {
  const Result result = made("syscalls,irq", {{KernelGroup::syscalls, {310, 40'000, 12'000'000}},
                                              {KernelGroup::irq, {0, 1000, 0}}});
  const Answer answer = kernel_flags().answer(result).value();
  INFO(answer.sentence);
  CHECK(figure_value(answer, "syscalls_call_p50_ns") == Approx(310));
  CHECK(figure_value(answer, "syscalls_call_mean_ns") == Approx(310));
  CHECK(figure_value(answer, "syscalls_cpu_ns_per_s") == Approx(12e6));
  CHECK(figure_value(answer, "syscalls_records_per_s") == Approx(40'000));
  CHECK(figure_value(answer, "syscalls_bytes_per_s") == Approx(640'000));
  CHECK(figure_value(answer, "irq_call_p50_ns") == Approx(0).margin(1e-9));
  CHECK(figure_value(answer, "irq_records_per_s") == Approx(1000));
  CHECK_THAT(answer.sentence,
             Contains("At 10k events/s `file`") &&
                 Contains("syscalls: a call takes 310 ns longer (310 ns), 1.2 % of a processor") &&
                 Contains("40k records/s, 640k B/s") &&
                 Contains("irq: no difference in a call, no difference in processor time"));
  CHECK(answer.cannot.empty());
}

TEST_CASE("kernel_flags: less than the clock tells is no difference") {
  const Result result = made("irq", {{KernelGroup::irq, {20, 1000, 0}}});
  CHECK_THAT(kernel_flags().answer(result)->sentence, Contains("irq: no difference in a call"));
}

TEST_CASE("kernel_flags: what cannot be switched on is said, with the reason") {
  const Result result = made("syscalls,irq", {{KernelGroup::syscalls, {310, 40'000, 0}},
                                              {KernelGroup::irq, {.refused = "not allowed"}}});
  const Answer answer = kernel_flags().answer(result).value();
  CHECK(answer.cannot == std::vector<std::string>{"switch on irq: not allowed"});
  CHECK_THAT(answer.sentence, Contains("syscalls: a call takes") && !Contains("irq:"));
  const Result none = made("irq", {{KernelGroup::irq, {.refused = "not allowed"}}});
  CHECK_THAT(kernel_flags().answer(none)->sentence,
             Contains("no kernel event could be switched on"));
}

TEST_CASE("kernel_flags: every group is on once a round, at other places") {
  Options options(kernel_flags().options(), "scenario 'kernel_flags'");
  options.set("groups", "sched, syscalls");
  options.set("rounds", "3");
  std::string order;
  for (std::size_t step = 0; step < kernel_flags().max_steps(options); ++step) {
    order += std::string(enum_text(*kernel_flags().kernel_group(options, step))).substr(0, 2);
  }
  CHECK(order == "noscsyscsynosynosc");
  options.set("groups", "sched,files");
  CHECK_THROWS_WITH(kernel_flags().next_step(options, {}), Contains("groups has 'files'"));
}

TEST_CASE("kernel_flags: a call's cost grows with its system calls, and no event costs nothing") {
  const auto run = [](const char* system_calls) {
    return run_scenario("kernel_flags",
                        std::string("synthetic:service_ns=1000:plant_system_calls=") + system_calls,
                        {{"groups", "syscalls,none"},
                         {"rounds", "3"},
                         {"rate_hz", "2000"},
                         {"duration_s", "0.2"},
                         {"warmup_s", "0"}});
  };
  const Result few = run("10");
  REQUIRE(few.answer);
  if (!few.answer->cannot.empty()) {
    WARN("kernel events cannot be switched on here: " << few.answer->cannot.front());
    return;
  }
  const Result many = run("200");
  INFO(few.answer->sentence << " " << many.answer->sentence);
  const double of_few = figure_value(*few.answer, "syscalls_call_p50_ns");
  const double of_many = figure_value(*many.answer, "syscalls_call_p50_ns");
  // Two records a system call, each of them tens of nanoseconds at least.
  CHECK(of_few > 10 * 40);
  CHECK(of_many > 2.5 * of_few);
  CHECK(figure_value(*few.answer, "syscalls_records_per_s") > 2 * 10 * 2000 * 0.5);
  CHECK(figure_value(*few.answer, "none_records_per_s") == 0);
  CHECK(std::abs(figure_value(*many.answer, "none_call_p50_ns")) < 0.3 * of_many);
  CHECK_THAT(many.answer->sentence, Contains("none: no difference in a call"));
}

}  // namespace
}  // namespace tailgate
