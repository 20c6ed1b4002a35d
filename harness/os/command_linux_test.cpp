#include "harness/os/command.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "harness/base/testing/test_directory.h"
#include "harness/os/affinity.h"

namespace tailgate {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Run {
  TestDirectory directory;
  CommandOptions options = {.command = "",
                            .output = directory.path() / "output",
                            .log = directory.path() / "log",
                            .cpus = {},
                            .limit = std::chrono::seconds{60}};

  CommandEnd of(const std::string& command) {
    options.command = command;
    return run_command(options);
  }
};

TEST_CASE("a command's output, log and exit code") {
  Run run;
  const CommandEnd end = run.of("echo one; echo two >&2; exit 7");
  CHECK(end.stop == CommandStop::none);
  CHECK(end.end.text() == "exit code 7");
  CHECK(content(run.options.output) == "one\n");
  CHECK(content(run.options.log) == "two\n");
  CHECK(end.wall_ns > 0);
  CHECK(run.of("kill -9 $$").end.text() == "signal 9 (Killed)");
  CHECK(run.of("/nonexistent/program").end.code == 127);
}

TEST_CASE("a command's process is known before it does anything") {
  Run run;
  int pid = 0;
  run.options.before_start = [&](int number) {
    pid = number;
    CHECK(content(run.options.output).empty());
  };
  run.of("echo $$");
  CHECK(content(run.options.output) == std::to_string(pid) + "\n");
  run.options.before_start = [](int) { throw std::runtime_error("not now"); };
  CHECK_THROWS_WITH(run.of("echo started"), "not now");
  CHECK(content(run.options.output).empty());
}

TEST_CASE("a command runs on its processors, and leaves this thread where it was") {
  Run run;
  const std::vector<int> before = allowed_cpus();
  run.options.cpus = {before.back()};
  run.of("grep Cpus_allowed_list /proc/self/status");
  CHECK(content(run.options.output) ==
        "Cpus_allowed_list:\t" + std::to_string(before.back()) + "\n");
  CHECK(allowed_cpus() == before);
}

TEST_CASE("the processor time of a command includes that of programs it waits for") {
  Run run;
  const CommandEnd end = run.of("sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'");
  CHECK(end.cpu_ns > 1'000'000);
  CHECK(run.of("sleep 0.2").cpu_ns < end.cpu_ns);
}

// Whether the process is there and no zombie.
bool lives(const std::string& pid) {
  const std::string stat = content("/proc/" + pid + "/stat");
  return !stat.empty() && stat.substr(stat.rfind(')') + 2, 1) != "Z";
}

TEST_CASE("a command that never ends is ended with all that it started") {
  Run run;
  run.options.limit = std::chrono::milliseconds{300};
  const CommandEnd end = run.of("sh -c 'trap \"\" TERM; sleep 1000 & echo $!; wait' & wait");
  CHECK(end.stop == CommandStop::timed_out);
  std::string pid;
  std::istringstream(content(run.options.output)) >> pid;
  REQUIRE_FALSE(pid.empty());
  for (int i = 0; i < 100 && lives(pid); ++i) run.of("sleep 0.05");
  CHECK_FALSE(lives(pid));
}

TEST_CASE("what a command leaves behind ends with it") {
  Run run;
  CHECK(run.of("sleep 1000 & echo $!").stop == CommandStop::none);
  std::string pid;
  std::istringstream(content(run.options.output)) >> pid;
  for (int i = 0; i < 100 && lives(pid); ++i) run.of("sleep 0.05");
  CHECK_FALSE(lives(pid));
}

TEST_CASE("the user's interrupt ends a command") {
  Run run;
  const InterruptFlag flag;
  CHECK(run.of("kill -INT $PPID; sleep 1000").stop == CommandStop::interrupted);
}

}  // namespace
}  // namespace tailgate
