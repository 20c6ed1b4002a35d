#include "harness/result/overhead_summary.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "harness/result/latency.h"

namespace tailgate {
namespace {

struct Use {
  std::uint64_t provider_ns;
  std::uint64_t daemons_ns;  // 0: no daemon
};

// A trial of one second and 10,000 events on four processors, without spinning.
Trial trial_of(unsigned index, Use use) {
  Trial trial;
  trial.index = index;
  trial.outcome = TrialOutcome::completed;
  trial.load.shape = Shape::steady;
  Overhead overhead;
  overhead.end_ns = 1'000'000'000;
  overhead.events = 10'000;
  overhead.processors = 4;
  const auto add = [&](const char* role, unsigned processes, std::uint64_t cpu_ns) {
    RoleUse& added = overhead.roles.emplace_back();
    added.role = role;
    added.processes = processes;
    added.counters.cpu_ns = cpu_ns;
  };
  add("provider", 1, use.provider_ns);
  add("daemons", use.daemons_ns > 0 ? 1 : 0, use.daemons_ns);
  add("machine", 0, use.provider_ns + use.daemons_ns + 100'000'000);
  trial.overhead = overhead;
  return trial;
}

const RoleOverhead& of_role(const std::vector<RoleOverhead>& all, const std::string& role) {
  for (const RoleOverhead& overhead : all) {
    if (overhead.role == role) return overhead;
  }
  FAIL("no role " << role);
  return all.front();
}

// Per event: provider 4, 5 and 6 us above the control, daemons 2 us in each trial.
Result result_with_controls() {
  Result result;
  result.trials = {trial_of(0, {50'000'000, 20'000'000}), trial_of(1, {60'000'000, 20'000'000}),
                   trial_of(2, {70'000'000, 20'000'000})};
  result.controls = {trial_of(0, {10'000'000, 0}), trial_of(1, {10'000'000, 0}),
                     trial_of(2, {10'000'000, 0})};
  return result;
}

TEST_CASE("overhead is the mean of trial minus control per event, with Student's interval") {
  const Result result = result_with_controls();
  const auto all = summarize_overhead(overhead_pairs(result, 0));
  const RoleOverhead& provider = of_role(all, "provider");
  CHECK(provider.trials == 3);
  REQUIRE(provider.cpu_ns_per_event);
  CHECK(provider.cpu_ns_per_event->mean == Approx(5000));
  // Standard deviation 1000, three trials: t = 4.303.
  CHECK(*provider.cpu_ns_per_event->half_width ==
        Approx(4.3027 * 1000 / std::sqrt(3)).epsilon(1e-4));
  CHECK(of_role(all, "daemons").cpu_ns_per_event->mean == Approx(2000));
  CHECK(*of_role(all, "daemons").cpu_ns_per_event->half_width == Approx(0).margin(1e-9));
  CHECK(of_role(all, kLoggingRole).cpu_ns_per_event->mean == Approx(7000));
  CHECK(of_role(all, "machine").cpu_ns_per_event->mean == Approx(7000));
  // 70 ms of 4 s.
  CHECK(of_role(all, kLoggingRole).machine_percent->mean == Approx(1.75));
  CHECK_FALSE(provider.faults_per_event);
}

TEST_CASE("without control trials the use itself is shown") {
  Result result = result_with_controls();
  result.controls.clear();
  const auto all = summarize_overhead(overhead_pairs(result, 0));
  CHECK(of_role(all, "provider").cpu_ns_per_event->mean == Approx(6000));
}

TEST_CASE("a trial whose control failed is omitted, and a single trial has no interval") {
  Result result = result_with_controls();
  result.controls[0].outcome = TrialOutcome::crashed;
  result.trials[2].outcome = TrialOutcome::hung;
  const auto pairs = overhead_pairs(result, 0);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].trial->index == 1);
  CHECK_FALSE(of_role(summarize_overhead(pairs), "provider").cpu_ns_per_event->half_width);
  CHECK(summarize_overhead(overhead_pairs(result, 7)).empty());
}

TEST_CASE("time spent spinning is subtracted, reduced by the time in the run queue") {
  Overhead overhead;
  overhead.end_ns = 1'000'000'000;
  Counters counters;
  counters.cpu_ns = 1'000'000'000;
  CHECK(busy_cpu_ns(overhead, counters, 1) == Approx(1e9));
  counters.spun_ns = 800'000'000;
  CHECK(*busy_cpu_ns(overhead, counters, 1) == Approx(200e6));
  // The thread had the processor for half of the second: for 0.4 s of 0.8 s of spinning, and for
  // 0.1 s of 0.2 s of calls.
  counters.cpu_ns = 500'000'000;
  counters.run_queue_ns = 500'000'000;
  CHECK(*busy_cpu_ns(overhead, counters, 1) == Approx(100e6));
  CHECK_FALSE(busy_cpu_ns(overhead, Counters(), 1));
}

TEST_CASE("the machine's share is its busy time minus the load's spinning") {
  Result result = result_with_controls();
  for (Trial& trial : result.trials) {
    trial.overhead->roles[0].counters.spun_ns = 30'000'000;
  }
  const auto all = summarize_overhead(overhead_pairs(result, 0));
  CHECK(of_role(all, "machine").cpu_ns_per_event->mean == Approx(4000));
}

TEST_CASE("a closed loop has no share of the machine") {
  Result result = result_with_controls();
  for (Trial& trial : result.trials) trial.load.shape = Shape::max;
  const auto all = summarize_overhead(overhead_pairs(result, 0));
  CHECK_FALSE(of_role(all, "provider").machine_percent);
  CHECK(of_role(all, "provider").cpu_ns_per_event);
}

TEST_CASE("the victim's slowdown is how much longer its rounds took than in the control trials") {
  Result result = result_with_controls();
  const double speeds[] = {800, 1000, 1000};
  for (std::size_t i = 0; i < 3; ++i) {
    result.trials[i].victim = VictimUse{0, speeds[i], 0};
    result.controls[i].victim = VictimUse{0, 1000, 0};
  }
  const auto slowdown = summarize_victim(overhead_pairs(result, 0));
  REQUIRE(slowdown);
  CHECK(slowdown->mean == Approx(25.0 / 3));
  result.controls.clear();
  CHECK_FALSE(summarize_victim(overhead_pairs(result, 0)));
}

}  // namespace
}  // namespace tailgate
