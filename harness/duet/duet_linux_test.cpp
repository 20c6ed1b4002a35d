// What becomes of a duet whose processes are killed or are not what they should be, and what a
// barrier asks the system.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/duet/runnable.h"
#include "harness/duet/test_duet.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {
namespace {

TEST_CASE("a side that is killed is recorded as such, with what it had measured") {
  Observer observer;
  bool killed = false;
  observer.on_progress = [&](const RoundProgress& round) {
    if (round.what != "slices" || killed) return;
    killed = true;
    kill(round.provider_pid_b, SIGKILL);
  };
  DuetRequest wanted = request("null", "null");
  wanted.rounds = 2;
  const Duet duet = run(wanted, observer);
  REQUIRE(duet.rounds.size() == 2);
  CHECK(duet.rounds[0].b.outcome == "killed");
  CHECK(duet.rounds[0].a.outcome == "interrupted");
  CHECK(duet.rounds[1].a.outcome == "completed");
  CHECK(duet.rounds[1].b.outcome == "completed");
  CHECK_FALSE(duet.rounds[0].remarks.empty());
  CHECK(duet.complete);
}

TEST_CASE("a process is runnable while it works, not while it sleeps or is gone") {
  const pid_t worker = fork();
  REQUIRE(worker >= 0);
  if (worker == 0) {
    alarm(30);  // whatever becomes of the test
    for (volatile bool work = true; work;) {
    }
  }
  const pid_t sleeper = fork();
  if (sleeper == 0) {
    alarm(30);
    for (;;) pause();
  }
  CHECK(is_runnable(worker));
  // It may not have got there yet.
  for (int i = 0; i < 1000 && is_runnable(sleeper); ++i) usleep(10'000);
  CHECK_FALSE(is_runnable(sleeper));
  for (const pid_t child : {worker, sleeper}) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK_FALSE(is_runnable(child));
  }
}

TEST_CASE("another program may play a side") {
  DuetRequest wanted = request("null", "null");
  wanted.b.side.program = std::filesystem::canonical("/proc/self/exe");
  const Duet duet = run(wanted);
  REQUIRE(duet.rounds.size() == 1);
  CHECK(duet.rounds[0].b.outcome == "completed");
  CHECK(duet.b.program == wanted.b.side.program.string());
}

TEST_CASE("a program that does not play its part ends the side, not the duet") {
  DuetRequest wanted = request("null", "null");
  wanted.b.side.program = "/bin/false";
  const Duet duet = run(wanted);
  REQUIRE(duet.rounds.size() == 1);
  CHECK(duet.rounds[0].b.outcome == "crashed");
}

TEST_CASE("a program that shares memory by another protocol says so") {
  const TrialPlan plan{};
  TrialMemory memory = TrialMemory::create(plan);
  memory.header().protocol = kTrialProtocol + 1;
  const int copy = dup(static_cast<int>(memory.memory().native()));
  CHECK_THROWS_WITH(TrialMemory::open_inherited(std::to_string(copy)),
                    Catch::Contains("by protocol " + std::to_string(kTrialProtocol + 1)));
}

}  // namespace
}  // namespace tailgate
