// Whole trials that make rsyslogd lose events; the ledger must balance in each.
#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "providers/shared/daemon/accepted_counts.h"
#include "providers/syslog/session.h"
#include "providers/testing/sinks.h"
#include "providers/testing/stress_trial.h"

namespace tailgate {
namespace {

constexpr const char* kDaemon = "rsyslogd";

bool available() {
  const SinkChoice choice = sink_choice("syslog");
  const Probe probe = choice.type->probe(choice.options);
  if (!probe.available) WARN("skipped: " << probe.reason << "; " << probe.remedy);
  return probe.available;
}

void signal_daemon(int number) {
  const int pid = child_named(kDaemon);
  REQUIRE(pid > 0);
  kill(pid, number);
}

TEST_CASE("at full load a blocking socket loses nothing, in either mode") {
  if (!available()) return;
  for (const char* sink : {"syslog", "syslog:mode=syslog3"}) {
    const Trial trial = run_stress(sink, stress_load(400'000, 0.3));
    INFO(sink << ": " << describe(trial));
    CHECK(trial.outcome == TrialOutcome::completed);
    CHECK(trial.rate_missed);
    CHECK(balanced(trial.ledger));
    CHECK(trial.ledger.lost == 0);
    CHECK(trial.consumer.mode == ConsumerMode::live);
    REQUIRE(trial.consumer.delivery.has_value());
    CHECK(trial.consumer.delivery->count == trial.ledger.delivered);
  }
}

TEST_CASE("at full load a non-blocking socket refuses events, the others arrive") {
  if (!available()) return;
  const Trial trial = run_stress("syslog:blocking=false", stress_load(400'000, 0.3));
  INFO(describe(trial));
  CHECK(balanced(trial.ledger));
  CHECK(lost_to(trial.ledger, "EAGAIN") > 0);
  CHECK(lost_to(trial.ledger, "EAGAIN") == trial.ledger.lost);
}

TEST_CASE("rsyslogd's statistics count exactly the events that a full queue drops") {
  if (!available()) return;
  LoadPlan load = stress_load(400'000, 0);
  load.events = 20'000;
  // Whether the queue overflows depends on the scheduling.
  Trial trial;
  for (int attempt = 0; attempt < 5; ++attempt) {
    trial = run_stress("syslog:queue_events=16:timeout_enqueue_ms=0", load);
    if (trial.ledger.lost > 0) break;
  }
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.lost > 0);
  CHECK(lost_to(trial.ledger, "discarded.full") == trial.ledger.lost);
}

TEST_CASE("a full disk: events not written are lost, and a torn line is damage") {
  if (!available()) return;
  LoadPlan load = stress_load(2000, 0);
  load.events = 300;
  load.payload = parse_payload("20000");
  const Trial trial = run_stress("syslog:disk_bytes=1Mi", load, ConsumerMode::after);
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(balanced(trial.ledger));
  CHECK(lost_to(trial.ledger, "not written by rsyslogd: disk full") == trial.ledger.lost);
  CHECK(trial.ledger.lost > 200);
  CHECK(trial.ledger.delivered > 20);
}

TEST_CASE("an rsyslogd stopped for a while delays events and loses none") {
  if (!available()) return;
  int stopped = 0;
  OnceDuringLoad stop(0.1, [&] { kill(stopped = child_named(kDaemon), SIGSTOP); });
  OnceDuringLoad resume(0.4, [&] { kill(stopped, SIGCONT); });
  const Trial trial = run_stress("syslog", stress_load(2000, 0.8), std::nullopt,
                                 [&](const TrialProgress& progress) {
                                   stop(progress);
                                   resume(progress);
                                 });
  INFO(describe(trial));
  CHECK(stopped > 0);
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.lost == 0);
  CHECK(trial.service.max_ns > 100'000'000);
}

TEST_CASE("an rsyslogd that stays stopped hangs emit(), events sent before are read back") {
  if (!available()) return;
  TrialSettings settings = stress_settings();
  settings.hang_timeout_s = 5;
  OnceDuringLoad stop(0.1, [] { signal_daemon(SIGSTOP); });
  const Trial trial =
      run_stress("syslog", stress_load(2000, 20), std::nullopt, std::ref(stop), settings);
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::hung);
  CHECK(trial.ledger.unaccounted == 0);
  CHECK(trial.ledger.delivered > 0);
}

TEST_CASE("a killed rsyslogd leaves a remark, and the events it had not written are counted") {
  if (!available()) return;
  for (const char* mode : {"datagram", "syslog3"}) {
    OnceDuringLoad end(0.2, [] { signal_daemon(SIGKILL); });
    const Trial trial = run_stress(std::string("syslog:mode=") + mode, stress_load(5000, 0.4),
                                   std::nullopt, std::ref(end));
    INFO(describe(trial));
    CHECK(balanced(trial.ledger));
    CHECK(trial.ledger.delivered > 0);
    // syslog(3) never reports that nobody listens.
    const char* cause = std::string(mode) == "datagram" ? "ECONNREFUSED" : "rsyslogd ended";
    CHECK(lost_to(trial.ledger, cause) > 0);
    CHECK(lost_to(trial.ledger, "other error") == 0);
    CHECK(remarked(trial, "rsyslogd ended by signal 9"));
  }
}

TEST_CASE("a killed namespace holder costs no event and invents no loss") {
  if (!available()) return;
  OnceDuringLoad end(0.2, [] {
    const int holder = child_named("tailgate-holder");
    REQUIRE(holder > 0);
    kill(holder, SIGKILL);
  });
  const Trial trial = run_stress("syslog", stress_load(5000, 0.4), std::nullopt, std::ref(end));
  INFO(describe(trial));
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.lost == 0);
  CHECK(trial.ledger.delivered == trial.ledger.emitted);
  CHECK(remarked(trial, "tailgate-holder"));
  CHECK(remarked(trial, "had ended by signal 9"));
}

// rsyslogd is stopped while the session waits for it, so that the wait lasts until its end.
TEST_CASE("what an interrupted rsyslogd has not written is unknown, not lost") {
  if (!available()) return;
  const SinkChoice choice = sink_choice("syslog");
  const Scratch scratch({}, false);
  syslog::SyslogSession session({.options = choice.options, .directory = scratch.path()});
  session.start();
  AcceptedCounts accepted(scratch.path(), 1);
  accepted.add(0);
  const int daemon = session.daemons().front().pid;
  const InterruptFlag interrupt;
  raise(SIGINT);
  std::thread stopping([daemon] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(daemon, SIGSTOP);
  });
  session.stop();
  stopping.join();
  CHECK(session.losses().empty());
}

TEST_CASE("event files that were removed make no loss of events that arrived") {
  if (!available()) return;
  OnceDuringLoad remove(0.2, [] {
    const int holder = child_named("tailgate-holder");
    const std::filesystem::path root = "/proc/" + std::to_string(holder) + "/root";
    std::ifstream mark((root / "dev/tailgate-session").string());
    std::string directory;
    REQUIRE(std::getline(mark, directory));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (entry.is_regular_file()) std::filesystem::remove(entry.path());
    }
  });
  const Trial trial = run_stress("syslog", stress_load(5000, 0.4), std::nullopt, std::ref(remove));
  INFO(describe(trial));
  CHECK(trial.ledger.checked);
  CHECK(trial.ledger.unaccounted == 0);
}

TEST_CASE("connected senders keep working after the socket's name is removed") {
  if (!available()) return;
  OnceDuringLoad remove(0.1, [] {
    const int holder = child_named("tailgate-holder");
    REQUIRE(holder > 0);
    const std::string socket = "/proc/" + std::to_string(holder) + "/" + "root/dev/log";
    REQUIRE(unlink(socket.c_str()) == 0);
  });
  const Trial trial =
      run_stress("syslog:mode=syslog3", stress_load(2000, 0.4), std::nullopt, std::ref(remove));
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.lost == 0);
}

TEST_CASE("large events are read back whole") {
  if (!available()) return;
  LoadPlan load = stress_load(200, 0.3);
  load.payload = parse_payload("60000");
  const Trial trial = run_stress("syslog:mode=syslog3", load);
  INFO(describe(trial));
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.lost == 0);
  CHECK(trial.ledger.delivered > 0);
}

TEST_CASE("a killed controller leaves no rsyslogd and no file behind") {
  if (!available()) return;
  const bool socket_before = std::filesystem::exists(syslog::kSocket);
  const Scratch scratch({}, false);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t controller = fork();
  if (controller == 0) {
    const SinkChoice choice = sink_choice("syslog");
    syslog::SyslogSession session({.options = choice.options, .directory = scratch.path()});
    session.start();
    const int pids[2] = {session.namespace_pid(), session.daemons().front().pid};
    static_cast<void>(!write(ends[1], pids, sizeof pids));
    while (true) pause();
  }
  int pids[2] = {};
  REQUIRE(read(ends[0], pids, sizeof pids) == sizeof pids);
  close(ends[0]);
  close(ends[1]);
  CHECK(std::filesystem::exists(syslog::kSocket) == socket_before);
  kill(controller, SIGKILL);
  waitpid(controller, nullptr, 0);
  for (const int pid : pids) CHECK(gone_in_time(pid));
  CHECK(std::filesystem::exists(syslog::kSocket) == socket_before);
  CHECK_FALSE(std::filesystem::exists(syslog::kMark));
}

}  // namespace
}  // namespace tailgate
