// Runs whole trials beside a process that is not tailgate's.
#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>

#include "harness/os/affinity.h"
#include "harness/trial/processes/controller.h"
#include "harness/trial/scratch.h"
#include "providers/testing/sinks.h"

namespace tailgate {
namespace {

constexpr const char* kName = "foreign-burner";

// Keeps one processor busy. The process that started it has ended, so that it belongs to nobody.
class ForeignBurner {
 public:
  explicit ForeignBurner(int cpu) {
    std::array<int, 2> told{};
    REQUIRE(pipe(told.data()) == 0);
    const pid_t between = fork();
    REQUIRE(between >= 0);
    if (between == 0) {
      if (fork() == 0) burn(cpu, told[1]);
      _exit(0);
    }
    waitpid(between, nullptr, 0);
    REQUIRE(read(told[0], &pid_, sizeof pid_) == sizeof pid_);
    close(told[0]);
    close(told[1]);
  }
  ~ForeignBurner() { kill(pid_, SIGKILL); }
  ForeignBurner(const ForeignBurner&) = delete;
  ForeignBurner& operator=(const ForeignBurner&) = delete;

 private:
  [[noreturn]] static void burn(int cpu, int tell) {
    alarm(60);  // ends it, should the test not
    prctl(PR_SET_NAME, kName);
    bind_this_thread({cpu});
    const pid_t self = getpid();
    if (write(tell, &self, sizeof self) != sizeof self) _exit(1);
    std::atomic<unsigned> turns{0};
    while (true) turns.fetch_add(1, std::memory_order_relaxed);
  }

  pid_t pid_ = 0;
};

Trial run(const std::string& sink, double rate_hz) {
  static const ClockParameters clock = measure_clock();
  TrialSettings settings;
  settings.clock = clock;
  settings.range = {
      .lowest_discernible = 1, .highest_trackable = 60'000'000'000, .significant_digits = 3};
  settings.load_cpus = {initial_cpus().back()};
  settings.consumer_cpus = {initial_cpus().front()};
  LoadPlan load;
  load.rate_hz = rate_hz;
  load.duration_s = 1;
  load.warmup_s = 0.1;
  load.pacing = Pacing::spin;
  const Scratch scratch({}, false);
  return run_trial(sink_choice(sink), load, settings, scratch.path() / "trial",
                   [](const TrialProgress&) {});
}

std::string remarks_of(const Trial& trial) {
  std::string text;
  for (const Remark& remark : trial.remarks) text += remark.what + " / " + remark.remedy + "\n";
  return text;
}

double share_of(const Trial& trial, const std::string& name) {
  for (const NeighbourUse& use : trial.neighbours.value().processes) {
    if (use.name == name) return use.cpu_share;
  }
  return 0;
}

// The load needs some 70 % of its processor, and the burner takes half of it.
TEST_CASE("a rate that was missed because of another process is its fault, and it is named") {
  if (initial_cpus().size() < 2) {
    WARN("skipped: one processor only");
    return;
  }
  const ForeignBurner burner(initial_cpus().back());
  const Trial trial = run("synthetic:service_ns=1000", 600'000);
  INFO(remarks_of(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.rate_missed);
  CHECK(trial.noise.lost_share > 0.05);
  CHECK(share_of(trial, kName) > 0.1);
  // The trial's own provider used about as much. Another run's may be there, too.
  CHECK(share_of(trial, "tg-provider") < share_of(trial, kName) / 2);
  REQUIRE(trial.neighbours->taken_ns);
  CHECK(*trial.neighbours->taken_ns > 200'000'000);
  CHECK_THAT(remarks_of(trial),
             Catch::Contains("the machine's fault, not the sink's") && Catch::Contains(kName));
}

// The load needs more than its processor, whoever else is there.
TEST_CASE("a rate that the sink cannot keep is not the machine's fault") {
  const Trial trial = run("synthetic:service_ns=2000", 600'000);
  INFO(remarks_of(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.rate_missed);
  CHECK(share_of(trial, kName) == 0);
  CHECK_THAT(remarks_of(trial),
             Catch::Contains("lower rate_hz") && !Catch::Contains("the machine's fault"));
}

}  // namespace
}  // namespace tailgate
