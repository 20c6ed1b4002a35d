// Tests duets whose processes are killed, interrupted or of a wrong program, duets with a daemon,
// and the system query of drains.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>

#include "harness/os/process.h"
#include "harness/overhead/sampler.h"
#include "harness/run/duet/runnable.h"
#include "harness/run/duet/test_duet.h"
#include "harness/trial/trial_memory.h"
#include "providers/testing/sinks.h"

namespace tailgate {
namespace {

TEST_CASE("a killed side has the outcome killed and keeps its measurements") {
  Observer observer;
  bool killed = false;
  observer.on_progress = [&](const RoundProgress& round) {
    if (round.what != "turns" || killed) return;
    killed = true;
    kill(round.provider_pid_b, SIGKILL);
  };
  DuetRequest wanted = request(sink_choice("null"), sink_choice("null"));
  wanted.rounds = 2;
  const Duet duet = run(wanted, observer);
  REQUIRE(duet.rounds.size() == 2);
  CHECK(duet.rounds[0].b.outcome == TrialOutcome::killed);
  CHECK(duet.rounds[0].a.outcome == TrialOutcome::interrupted);
  CHECK(duet.rounds[1].a.outcome == TrialOutcome::completed);
  CHECK(duet.rounds[1].b.outcome == TrialOutcome::completed);
  CHECK_FALSE(duet.rounds[0].remarks.empty());
  CHECK(duet.complete);
}

TEST_CASE("a side that is killed in a long round fails that round alone") {
  Observer observer;
  bool killed = false;
  observer.on_progress = [&](const RoundProgress& round) {
    if (round.what != "visit" || killed) return;
    killed = true;
    kill(round.provider_pid_b, SIGKILL);
  };
  DuetRequest wanted = request(sink_choice("null"), sink_choice("null"));
  wanted.rounds = 6;
  wanted.long_rounds = 5;
  const Duet duet = run(wanted, observer);
  CHECK(duet.complete);
  REQUIRE(duet.rounds.size() == 6);
  for (unsigned i = 0; i < 6; ++i) {
    INFO(i);
    CHECK(duet.rounds[i].index == i);
    // Of a long round it is the sum over its visits.
    if (i != 4) CHECK(duet.rounds[i].a.cpu_ns.value_or(0) > 0);
    CHECK(duet.rounds[i].b.outcome == (i == 4 ? TrialOutcome::killed : TrialOutcome::completed));
  }
  CHECK(duet.rounds[4].a.outcome == TrialOutcome::interrupted);
}

TEST_CASE("an interrupt between fresh rounds leaves out the long ones, but none that has failed") {
  auto interrupt = std::make_unique<InterruptFlag>();
  Observer observer;
  unsigned visits = 0;
  observer.on_progress = [&](const RoundProgress& round) {
    if (round.what != "visit") return;
    ++visits;
    if (visits == 1) kill(round.provider_pid_b, SIGKILL);
    if (visits == 3) raise(SIGINT);
  };
  DuetRequest wanted = request(sink_choice("null"), sink_choice("null"));
  wanted.rounds = 9;
  wanted.long_rounds = 5;  // three of nine
  const Duet duet = run(wanted, observer);
  CHECK_FALSE(duet.complete);
  REQUIRE(duet.rounds.size() == 2);
  CHECK(duet.rounds[0].visits == 1u);
  CHECK(duet.rounds[0].b.outcome == TrialOutcome::completed);
  CHECK(duet.rounds[1].index == 6);
  CHECK(duet.rounds[1].b.outcome == TrialOutcome::killed);
  REQUIRE(duet.remarks.size() == 1);
  interrupt.reset();
  const InterruptFlag lowered;
}

// Steal is at most all of every processor's time.
TEST_CASE("a round says what the hypervisor took during its turns") {
  const Duet duet = run(request(sink_choice("null"), sink_choice("null")));
  REQUIRE(duet.rounds.size() == 1);
  REQUIRE(duet.rounds[0].stolen_ns);
  CHECK(*duet.rounds[0].stolen_ns <= duet.rounds[0].duration_ns * online_processors());
}

// Whether system calls can be counted here; else the duet says why not, and has no counts.
bool counts_calls(const Duet& duet) {
  const DuetSide& side = duet.rounds.at(0).a;
  const bool said = std::any_of(duet.remarks.begin(), duet.remarks.end(), [](const Remark& remark) {
    return remark.what.starts_with("system calls were not counted: ");
  });
  CHECK(said != side.system_calls.has_value());
  return side.system_calls.has_value();
}

TEST_CASE("a side's system calls are those of the sink, to the call") {
  // The file sink writes each event by one call, which the plant triples; the mapped file has none.
  DuetRequest wanted =
      request(sink_choice("file:plant_system_calls=0"), sink_choice("file:plant_system_calls=2"));
  wanted.wishes.warmup_turns = 3;
  const Duet written = run(wanted);
  DuetRequest mapped =
      request(sink_choice("file:mode=mmap"), sink_choice("file:mode=mmap:plant_system_calls=0.5"));
  mapped.wishes.warmup_turns = 3;
  const Duet mapped_file = run(mapped);
  if (!counts_calls(written) || !counts_calls(mapped_file)) return;
  const auto per_event = [](const DuetSide& side) {
    // Two of the warm-up's three turns, of 10 ms at 20,000 a second.
    CHECK(side.system_call_events == 400);
    return static_cast<double>(side.system_calls.value_or(0)) / 400;
  };
  // The plant's wrapper reads its clock without a system call. A call at a turn's end may count as
  // the next turn's.
  CHECK(per_event(written.rounds[0].a) == Approx(1).margin(0.02));
  CHECK(per_event(written.rounds[0].b) == Approx(3).margin(0.02));
  CHECK(per_event(mapped_file.rounds[0].a) == Approx(0).margin(0.02));
  CHECK(per_event(mapped_file.rounds[0].b) == Approx(0.5).margin(0.02));
}

TEST_CASE("without a second warm-up turn system calls are not counted") {
  const Duet duet = run(request(sink_choice("null"), sink_choice("null")));
  CHECK_FALSE(duet.rounds.at(0).a.system_calls.has_value());
  CHECK_FALSE(duet.rounds.at(0).b.system_calls.has_value());
}

TEST_CASE("a side's written bytes are those of its events, and of the plant") {
  const Duet duet = run(request(sink_choice("file:plant_written_bytes=0"),
                                sink_choice("file:plant_written_bytes=16384")));
  CHECK(duet.rounds.at(0).a.written_bytes == 128 * 10 * 200);
  CHECK(duet.rounds.at(0).b.written_bytes == (128 + 16384) * 10 * 200);
}

TEST_CASE("a side's start and stop take what is planted longer") {
  const Duet duet = run(request(sink_choice("null:plant_start_ms=0"),
                                sink_choice("null:plant_start_ms=40:plant_stop_ms=30")));
  const DuetRound& round = duet.rounds.at(0);
  CHECK(round.a.start_ns.value_or(0) > 0);
  CHECK(round.a.stop_ns.value_or(0) > 0);
  CHECK(round.b.start_ns.value_or(0) >= 40'000'000);
  CHECK(round.b.stop_ns.value_or(0) >= 30'000'000);
}

TEST_CASE("a process is runnable while it works, but not while it sleeps or after it ended") {
  const pid_t worker = fork();
  REQUIRE(worker >= 0);
  if (worker == 0) {
    alarm(30);  // ends the process even if the test fails
    for (volatile bool work = true; work;) {
    }
  }
  const pid_t sleeper = fork();
  if (sleeper == 0) {
    alarm(30);
    for (;;) pause();
  }
  CHECK(is_runnable(worker));
  // It may not sleep yet.
  for (int i = 0; i < 1000 && is_runnable(sleeper); ++i) usleep(10'000);
  CHECK_FALSE(is_runnable(sleeper));
  for (const pid_t child : {worker, sleeper}) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK_FALSE(is_runnable(child));
  }
}

TEST_CASE("another program may be a side") {
  DuetRequest wanted = request(sink_choice("null"), sink_choice("null"));
  wanted.b.side.program = std::filesystem::canonical("/proc/self/exe");
  const Duet duet = run(wanted);
  REQUIRE(duet.rounds.size() == 1);
  CHECK(duet.rounds[0].b.outcome == TrialOutcome::completed);
  CHECK(duet.b.program == wanted.b.side.program.string());
}

TEST_CASE("a program that does not run its role fails the side, not the duet") {
  DuetRequest wanted = request(sink_choice("null"), sink_choice("null"));
  wanted.b.side.program = "/bin/false";
  const Duet duet = run(wanted);
  REQUIRE(duet.rounds.size() == 1);
  CHECK(duet.rounds[0].b.outcome == TrialOutcome::crashed);
}

TEST_CASE("a program with another protocol of the shared memory reports that") {
  const TrialPlan plan{};
  TrialMemory memory = TrialMemory::create(plan);
  memory.header().protocol = kTrialProtocol + 1;
  const int copy = dup(static_cast<int>(memory.memory().native()));
  CHECK_THROWS_WITH(TrialMemory::open_inherited(std::to_string(copy)),
                    Catch::Contains("by protocol " + std::to_string(kTrialProtocol + 1)));
}

TEST_CASE("an interrupted round is left out") {
  auto interrupt = std::make_unique<InterruptFlag>();
  Observer observer;
  unsigned seen = 0;
  observer.on_progress = [&](const RoundProgress& round) {
    if (round.what == "turns" && ++seen == 2) raise(SIGINT);
  };
  DuetRequest wanted = request(sink_choice("null"), sink_choice("null"));
  wanted.rounds = 5;
  const Duet duet = run(wanted, observer);
  CHECK(duet.rounds.size() == 1);
  CHECK_FALSE(duet.complete);
  interrupt.reset();
  const InterruptFlag lowered;  // resets the flag for later tests
}

TEST_CASE("a drain waits for the session's processes, and their work counts as the side's") {
  constexpr double kDaemonNs = 10'000;
  DuetRequest wanted =
      request(sink_choice("null:plant_leak_bytes=0"), sink_choice("null:plant_daemon_ns=10_000"));
  const Duet duet = run(wanted);
  REQUIRE(duet.rounds.size() == 1);
  const DuetRound& round = duet.rounds[0];
  CHECK(duet.drain == "delivered");
  CHECK(round.a.drains == 10);
  CHECK(round.b.drains == 10);
  REQUIRE(round.b.daemon_cpu_ns.has_value());
  const double daemon_ns = static_cast<double>(*round.b.daemon_cpu_ns) / (10.0 * 200);
  CHECK(daemon_ns >= 0.9 * kDaemonNs);
  // The daemon's polling for work adds to it, by half in instrumented builds.
  CHECK(daemon_ns <= 1.8 * kDaemonNs);
  CHECK(*round.b.cpu_ns >= *round.b.daemon_cpu_ns);
  CHECK_FALSE(round.a.daemon_cpu_ns.has_value());
}

}  // namespace
}  // namespace tailgate
