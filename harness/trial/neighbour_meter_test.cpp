#include "harness/trial/neighbour_meter.h"

#include <catch2/catch.hpp>

#include "harness/trial/collector.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

TEST_CASE("what was taken is the wait that the trial's own processes cannot explain") {
  CHECK(time_taken_ns({{400 * kMs, 300 * kMs}}, true, 0, {}) == 300 * kMs);
  CHECK(time_taken_ns({{400 * kMs, 300 * kMs}}, true, 100 * kMs, {}) == 200 * kMs);
  CHECK(time_taken_ns({{400 * kMs, 300 * kMs}}, true, 500 * kMs, {}) == 0);
}

TEST_CASE("the hypervisor's part comes on top, of several processors the least") {
  CHECK(time_taken_ns({{400 * kMs, 300 * kMs}}, true, 500 * kMs, {70 * kMs}) == 70 * kMs);
  CHECK(time_taken_ns({{1, 10 * kMs}, {1, 20 * kMs}}, true, 0, {70 * kMs, 30 * kMs}) == 40 * kMs);
}

TEST_CASE(
    "of several threads the least taken counts, and threads on one processor wait for another") {
  CHECK(time_taken_ns({{1, 50 * kMs}, {1, 20 * kMs}}, true, 0, {}) == 20 * kMs);
  CHECK(time_taken_ns({{30 * kMs, 100 * kMs}, {40 * kMs, 90 * kMs}}, false, 0, {}) == 60 * kMs);
  CHECK(time_taken_ns({}, true, 0, {5}) == 0);
}

// A trial that was planned for 1 s and needed so many seconds for it, with the remarks on it.
struct Late {
  Trial trial;
  std::string remarks;
};

Late late_trial(double needed_s, std::optional<std::uint64_t> taken_ns, std::uint64_t unissued = 0,
                std::uint64_t median_ns = 100, double two_clock_reads_ns = 25) {
  TrialPlan plan;
  plan.load.shape = Shape::steady;
  plan.load.rate_hz = 1000;
  TrialMemory memory = TrialMemory::create(plan);
  memory.thread(0).last_intended_ns = 999 * kMs;
  memory.thread(0).last_end_ns = static_cast<std::uint64_t>(needed_s * 1e9);
  memory.thread(0).unissued = unissued;
  HistogramWriter service(memory.layout(), memory.words(0, Metric::service));
  for (int i = 0; i < 1000; ++i) service.record(100);
  Late late;
  late.trial.load = describe_load(plan.load);
  late.trial.memory_locked = true;
  late.trial.measured = 1000;
  late.trial.unissued = unissued;
  late.trial.rate_missed = true;
  late.trial.service.p50_ns = median_ns;
  late.trial.floor.two_clock_reads_ns = two_clock_reads_ns;
  late.trial.neighbours.emplace();
  late.trial.neighbours->observed_ns = 1000 * kMs;
  late.trial.neighbours->processes = {{"cc1plus", 0.4}};
  late.trial.neighbours->taken_ns = taken_ns;
  judge_missed_rate(memory, late.trial);
  add_remarks(memory, late.trial);
  for (const Remark& remark : late.trial.remarks) {
    late.remarks += remark.what + " / " + remark.remedy + "\n";
  }
  return late;
}

TEST_CASE("a missed rate is the machine's fault where others took as much as the load was late") {
  const Late late = late_trial(1.3, 295 * kMs);
  const std::string& remarks = late.remarks;
  CHECK(late.trial.missed_by_machine == true);
  CHECK_THAT(remarks, Catch::Contains("the load took 1.3 s, where 1 s were planned") &&
                          Catch::Contains("cc1plus took at least 0.295 s of it") &&
                          Catch::Contains("the machine's fault, not the sink's") &&
                          Catch::Contains("end other programs") && !Catch::Contains("lower rate"));
}

TEST_CASE("a missed rate stays the sink's where others took less, or nobody knows") {
  for (const std::optional<std::uint64_t> taken_ns :
       {std::optional<std::uint64_t>(280 * kMs), std::optional<std::uint64_t>(0),
        std::optional<std::uint64_t>()}) {
    const Late late = late_trial(1.3, taken_ns);
    const std::string& remarks = late.remarks;
    CHECK(late.trial.missed_by_machine == false);
    CHECK_THAT(remarks, Catch::Contains("the load took 1.3 s") &&
                            Catch::Contains("lower rate_hz") && !Catch::Contains("fault"));
  }
}

TEST_CASE("events that were never issued would have needed as much time as the others") {
  // 1000 of 2000 events in 2 s, of which others took 1 s: 1 ms each, and the rate allows 1 ms.
  CHECK_THAT(late_trial(2, 1000 * kMs, 1000).remarks,
             Catch::Contains("the machine's fault") && Catch::Contains("run again on an idle"));
  CHECK_THAT(late_trial(2, 900 * kMs, 1000).remarks,
             !Catch::Contains("the machine's fault") && Catch::Contains("lower rate_hz"));
}

TEST_CASE("a missed rate is not the machine's fault where the median call takes too long for it") {
  // 2000 events, one a millisecond; all of the time is said to have been taken.
  CHECK(late_trial(2, 2000 * kMs, 1000, 1'000'000).trial.missed_by_machine == true);
  CHECK(late_trial(2, 2000 * kMs, 1000, 1'020'000).trial.missed_by_machine == false);
}

TEST_CASE("a rate at which the harness cannot read its clock is the driver's limit") {
  const Late late = late_trial(2, 2000 * kMs, 1000, 100, 2e6);
  CHECK(late.trial.missed_by_machine == false);
  CHECK_THAT(late.remarks, Catch::Contains("no sink could: 1 thread of the load can time 500 "
                                           "events/s at most here") &&
                               !Catch::Contains("took at least"));
  CHECK_THAT(late_trial(2, 0, 1000).remarks, !Catch::Contains("driver's limit"));
}

TEST_CASE(
    "a late ramp is held against its mean rate, and one with unissued events its whole plan") {
  TrialPlan plan;
  plan.load.shape = Shape::ramp;
  plan.load.rate_hz = 100;
  plan.load.end_rate_hz = 2000;
  plan.load.duration_s = 1;
  TrialMemory memory = TrialMemory::create(plan);
  memory.thread(0).last_intended_ns = 600 * kMs;
  memory.thread(0).last_end_ns = 1300 * kMs;
  memory.thread(0).unissued = 3;
  Trial trial;
  trial.load = describe_load(plan.load);
  trial.memory_locked = true;
  trial.measured = 1049;
  trial.achieved_rate_hz = 807;
  trial.rate_missed = true;
  add_remarks(memory, trial);
  REQUIRE(!trial.remarks.empty());
  CHECK(trial.remarks[0].what ==
        "the load took 1.3 s, where 1 s were planned: 807 events/s of 1050");
}

TEST_CASE("the remark on a busy machine names who used it") {
  Trial trial;
  trial.noise.lost_share = 0.2;
  trial.neighbours.emplace();
  trial.neighbours->observed_ns = 1000 * kMs;
  trial.neighbours->processes = {{"cc1plus", 0.876}, {"sshd", 0.01}};
  add_noise_remark(trial);
  REQUIRE(trial.remarks.size() == 1);
  CHECK_THAT(trial.remarks[0].what, Catch::Contains("20.0 % of the time before the load") &&
                                        Catch::EndsWith("of one processor: cc1plus 88 %"));
  trial.neighbours->processes.clear();
  add_noise_remark(trial);
  CHECK_THAT(trial.remarks.at(1).what, Catch::EndsWith("before the load"));
}

}  // namespace
}  // namespace tailgate
