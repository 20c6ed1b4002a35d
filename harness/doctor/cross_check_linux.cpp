#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/file_text.h"
#include "harness/doctor/cross_check.h"
#include "harness/doctor/machine_latency.h"
#include "harness/os/affinity.h"
#include "harness/os/command.h"
#include "harness/os/process.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kRoundNs = 1'000'000'000;
constexpr std::uint64_t kSleepNs = 1'000'000;
constexpr std::chrono::seconds kToolLimit{10};

// A port of UDP on the loopback interface that nobody has. Throws Error.
unsigned free_port() {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  const bool bound =
      socket >= 0 && bind(socket, plain, length) == 0 && getsockname(socket, plain, &length) == 0;
  const int reason = errno;
  if (socket >= 0) close(socket);
  if (!bound) {
    throw system_error("bind", "127.0.0.1", reason, "allow this program to use the network");
  }
  return ntohs(address.sin_port);
}

// Runs a line of the shell to its end; returns what it printed. Throws Error if it failed.
std::string output_of(const CrossCheckPlan& plan, const std::string& tool, const std::string& line,
                      const std::string& file) {
  CommandOptions options;
  options.command = line;
  options.output = plan.scratch / (tool + ".out");
  options.log = plan.scratch / (tool + ".log");
  options.directory = plan.scratch;
  if (plan.cpu >= 0) options.cpus = {plan.cpu};
  options.limit = kToolLimit;
  const CommandEnd end = run_command(options);
  if (end.stop == CommandStop::interrupted) throw Error("interrupted", "");
  if (end.stop == CommandStop::timed_out) throw Error(tool + " did not end", "run it by itself");
  if (!end.end.exited || end.end.code != 0) {
    throw Error(tool + " failed: " + end.end.text(), "run it by itself, and see what it says");
  }
  return file_text(plan.scratch / file);
}

LatencySummary run_cyclictest(const CrossCheckPlan& plan) {
  const std::string json = output_of(
      plan, "cyclictest",
      "exec cyclictest --quiet --default-system --policy=other --threads=1 --interval=1000 "
      "--duration=1 --histogram=100000 --json=cyclictest.json",
      "cyclictest.json");
  return read_cyclictest(json);
}

// The server ends with the shell, as all that it started; should tailgate be killed, after 10 s.
LatencySummary run_sockperf(const CrossCheckPlan& plan) {
  const std::string at = "-i 127.0.0.1 -p " + std::to_string(free_port());
  return read_sockperf(output_of(plan, "sockperf",
                                 "timeout --foreground 10 sockperf server " + at +
                                     " > server.out 2>&1 & sleep 0.3; exec sockperf ping-pong " +
                                     at + " --time 1",
                                 "sockperf.out"));
}

using Measure = std::function<LatencySummary()>;

// The program and tailgate in turn, so that both see the same machine.
void run_rounds(CrossCheck& check, unsigned rounds, const Measure& by_tool,
                const Measure& by_tailgate) {
  check.installed = find_program(check.tool).has_value();
  if (!check.installed) return;
  try {
    for (unsigned round = 0; round < rounds; ++round) {
      if (InterruptFlag::raised()) throw Error("interrupted", "");
      check.by_tailgate.push_back(by_tailgate());
      check.by_tool.push_back(by_tool());
      if (check.by_tailgate.back().count == 0) {
        throw Error("tailgate's own measurement has no times", "");
      }
    }
  } catch (const Error& error) {
    check.failure = error.what_failed();
  }
}

std::vector<CrossCheck> check_on_this_thread(const CrossCheckPlan& plan, const Clock& clock) {
  if (plan.cpu >= 0) bind_this_thread({plan.cpu});
  // As in a trial; what this thread starts inherits it.
  prctl(PR_SET_TIMERSLACK, 1);
  CrossCheck wake_ups{.tool = "cyclictest", .package = "rt-tests", .what = "late after sleeps"};
  run_rounds(
      wake_ups, plan.rounds, [&] { return run_cyclictest(plan); },
      [&] { return measure_wake_ups(clock, kSleepNs, kRoundNs); });
  CrossCheck trips{.tool = "sockperf", .package = "sockperf", .what = "half a round trip (UDP)"};
  run_rounds(
      trips, plan.rounds, [&] { return run_sockperf(plan); },
      [&] { return measure_ping_pong(clock, kRoundNs); });
  return {std::move(wake_ups), std::move(trips)};
}

}  // namespace

std::vector<CrossCheck> run_cross_checks(const CrossCheckPlan& plan, const Clock& clock) {
  std::vector<CrossCheck> checks;
  std::exception_ptr failure;
  std::thread([&] {
    try {
      checks = check_on_this_thread(plan, clock);
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
  return checks;
}

}  // namespace tailgate
