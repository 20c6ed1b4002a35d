// Private daemons: what they see, how they end, and that they leave nothing behind.
#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/os/process_stat_linux.h"
#include "providers/shared/daemon/full_disk.h"
#include "providers/shared/daemon/private_daemon.h"
#include "providers/shared/daemon/private_namespace.h"

namespace tailgate {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 20s;

bool namespaces_work() {
  const Probe probe = probe_private_namespace();
  if (!probe.available) WARN("skipped: " << probe.reason << "; " << probe.remedy);
  return probe.available;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream input(path);
  return {std::istreambuf_iterator<char>(input), {}};
}

DaemonCommand shell(const std::string& script, const TestDirectory& directory, int namespace_pid) {
  return {.name = "shell",
          .arguments = {"/bin/sh", "-c", script},
          .environment = {{"PATH", "/usr/bin:/bin"}, {"GREETING", "hello"}},
          .log = directory.path() / "log",
          .namespace_pid = namespace_pid};
}

std::string output_of(const std::string& script, const TestDirectory& directory,
                      int namespace_pid = 0) {
  PrivateDaemon daemon(shell(script, directory, namespace_pid));
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (daemon.alive() && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(1ms);
  }
  return content(directory.path() / "log");
}

// A process that has ended stays as a zombie until its parent waits for it.
bool runs(int pid) {
  const std::optional<ProcessStat> stat = read_process_stat(pid);
  return stat && !stat->ended();
}

bool gone_in_time(int pid) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (runs(pid) && std::chrono::steady_clock::now() < give_up) std::this_thread::sleep_for(1ms);
  return !runs(pid);
}

TEST_CASE("a daemon gets its environment and log, and its exit code is reported") {
  const TestDirectory directory;
  PrivateDaemon daemon(shell("echo $GREETING; env | wc -l; exit 3", directory, 0));
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (daemon.alive() && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(1ms);
  }
  REQUIRE(daemon.end().has_value());
  CHECK(daemon.end()->text() == "exit code 3");
  CHECK(daemon.stop(1s).text() == "exit code 3");
  CHECK(content(directory.path() / "log").starts_with("hello\n"));
}

TEST_CASE("a missing program is an error with its name") {
  const TestDirectory directory;
  DaemonCommand command = shell("", directory, 0);
  command.arguments = {"/nonexistent/program"};
  CHECK_THROWS_WITH(PrivateDaemon(command), Catch::Contains("/nonexistent/program"));
  CHECK(find_daemon("sh").filename() == "sh");
  CHECK(find_daemon("no-such-daemon").empty());
}

TEST_CASE("a daemon that never becomes ready is an error with its last log line") {
  const TestDirectory directory;
  PrivateDaemon ends(shell("echo cannot do it; exit 7", directory, 0));
  CHECK_THROWS_WITH(ends.wait_until([] { return false; }, kPatience),
                    Catch::Contains("cannot do it") && Catch::Contains("exit code 7"));
  PrivateDaemon idles(shell("exec sleep 100", directory, 0));
  CHECK_THROWS_WITH(idles.wait_until([] { return false; }, 20ms), Catch::Contains("20 ms"));
}

TEST_CASE("stop() sends SIGTERM, resumes a stopped daemon, and kills one that ignores SIGTERM") {
  const TestDirectory directory;
  const auto ready = [&](const std::string& word) {
    return [&, word] { return content(directory.path() / "log").find(word) != std::string::npos; };
  };
  PrivateDaemon polite(
      shell("trap 'exit 5' TERM; echo polite; while :; do sleep 0.01; done", directory, 0));
  polite.wait_until(ready("polite"), kPatience);
  CHECK(polite.stop(kPatience).text() == "exit code 5");
  PrivateDaemon stopped(
      shell("trap 'exit 6' TERM; echo stopped; while :; do sleep 0.01; done", directory, 0));
  stopped.wait_until(ready("stopped"), kPatience);
  kill(stopped.pid(), SIGSTOP);
  CHECK(stopped.stop(kPatience).text() == "exit code 6");
  PrivateDaemon deaf(shell("trap '' TERM; echo deaf; while :; do sleep 0.01; done", directory, 0));
  deaf.wait_until(ready("deaf"), kPatience);
  CHECK(deaf.stop(50ms).code == SIGKILL);
}

TEST_CASE("a private view changes only what the processes in it see") {
  if (!namespaces_work()) return;
  const TestDirectory directory;
  const TestDirectory place;
  std::ofstream(place.path() / "kept") << "kept";
  std::ofstream(place.path() / "hidden") << "outer";
  std::filesystem::create_directory(place.path() / "folder");
  std::ofstream(place.path() / "folder" / "inner") << "inner";
  std::filesystem::create_symlink("kept", place.path() / "alias");
  MountPlan plan;
  plan.shadow(place.path(), {"hidden"})
      .file(place.path() / "hidden", "private")
      .directory(place.path() / "new")
      .tmpfs(place.path() / "new", 1 << 20)
      .link("kept", place.path() / "second")
      .directory(place.path() / "bound")
      .bind(place.path() / "folder", place.path() / "bound");
  const PrivateNamespace view(plan);
  const std::string seen = output_of(
      fmt::format("cd {} && cat kept alias second hidden folder/inner bound/inner && echo && "
                  "echo in > folder/written && echo out > new/file && ls",
                  place.path().string()),
      directory, view.pid());
  CHECK(seen == "keptkeptkeptprivateinnerinner\nalias\nbound\nfolder\nhidden\nkept\nnew\nsecond\n");
  CHECK(content(place.path() / "hidden") == "outer");
  CHECK_FALSE(std::filesystem::exists(place.path() / "new"));
  CHECK(content(place.path() / "folder" / "written") == "in\n");
  CHECK(content(view.outside(place.path() / "new" / "file")) == "out\n");
  CHECK(content("/proc/self/mountinfo").find(place.path().string()) == std::string::npos);
}

TEST_CASE("a view's files can be reached after its holder was killed, and that is told") {
  if (!namespaces_work()) return;
  const TestDirectory place;
  MountPlan plan;
  plan.tmpfs(place.path()).file(place.path() / "inside", "there");
  const PrivateNamespace view(plan);
  CHECK_FALSE(view.holder_failure().has_value());
  kill(view.pid(), SIGKILL);
  REQUIRE(gone_in_time(view.pid()));
  CHECK(content(view.outside(place.path() / "inside")) == "there");
  // Its pid is gone before the kernel lets its parent wait for it.
  for (int i = 0; i < 500 && !view.holder_failure(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  REQUIRE(view.holder_failure().has_value());
  CHECK_THAT(view.holder_failure()->what_failed(),
             Catch::Contains("tailgate-holder") && Catch::Contains("signal 9"));
  CHECK_FALSE(std::filesystem::exists(place.path() / "inside"));
}

TEST_CASE("a disk is full when it has no page left") {
  if (!namespaces_work()) return;
  const TestDirectory place;
  MountPlan plan;
  plan.tmpfs(place.path(), 1 << 20);
  const PrivateNamespace view(plan);
  const std::filesystem::path disk = view.outside(place.path());
  CHECK_FALSE(disk_is_full(disk));
  std::ofstream(disk / "half") << std::string(500'000, 'x');
  CHECK_FALSE(disk_is_full(disk));
  std::ofstream(disk / "rest") << std::string(1'000'000, 'x');
  CHECK(disk_is_full(disk));
  CHECK_FALSE(disk_is_full(disk / "nothing"));
}

TEST_CASE("devices stay usable in a shadowed /dev") {
  if (!namespaces_work()) return;
  const TestDirectory directory;
  MountPlan plan;
  plan.shadow("/dev", {"log"}).link("/nowhere", "/dev/log");
  const PrivateNamespace view(plan);
  CHECK(output_of("echo x > /dev/null && head -c 4 /dev/zero | wc -c && readlink /dev/log",
                  directory, view.pid()) == "4\n/nowhere\n");
}

TEST_CASE("the error names the step that failed") {
  if (!namespaces_work()) return;
  MountPlan plan;
  plan.tmpfs("/nonexistent/place");
  CHECK_THROWS_WITH(PrivateNamespace(plan), Catch::Contains("/nonexistent/place"));
}

// Forks a child that calls work() and exits with its result.
pid_t start_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child != 0) return child;
  for (const int number : {SIGABRT, SIGTERM, SIGSEGV}) signal(number, SIG_DFL);
  int code = 100;
  try {
    code = work();
  } catch (const Error&) {
    code = 101;
  }
  _exit(code);
}

TEST_CASE("daemon and view end when their controller is killed") {
  if (!namespaces_work()) return;
  const TestDirectory directory;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t controller = start_child([&] {
    const PrivateNamespace view{MountPlan{}};
    PrivateDaemon daemon(shell("trap '' TERM HUP; sleep 1000", directory, view.pid()));
    const int pids[2] = {view.pid(), daemon.pid()};
    static_cast<void>(!write(ends[1], pids, sizeof pids));
    while (true) pause();
    return 0;
  });
  REQUIRE(controller > 0);
  int pids[2] = {};
  REQUIRE(read(ends[0], pids, sizeof pids) == sizeof pids);
  CHECK(runs(pids[0]));
  CHECK(runs(pids[1]));
  kill(controller, SIGKILL);
  waitpid(controller, nullptr, 0);
  CHECK(gone_in_time(pids[0]));
  CHECK(gone_in_time(pids[1]));
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("an unprivileged user gets a view in which it is root") {
  if (!namespaces_work()) return;
  const TestDirectory directory;
  std::filesystem::permissions(directory.path(), std::filesystem::perms::all);
  constexpr int kRefused = 42;
  const pid_t child = start_child([&] {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 1;
    prctl(PR_SET_DUMPABLE, 1);  // as after an exec; otherwise root owns /proc/self
    try {
      const PrivateNamespace possible{MountPlan{}};
    } catch (const Error&) {
      return kRefused;
    }
    MountPlan plan;
    plan.shadow("/run", {"systemd"}).directory("/run/systemd");
    const PrivateNamespace view(plan);
    const std::string seen =
        output_of("id -u; touch /run/systemd/mine && ls /run/systemd", directory, view.pid());
    const bool outside = std::filesystem::exists(view.outside("/run/systemd/mine"));
    return seen == "0\nmine\n" && outside ? 0 : 2;
  });
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kRefused) {
    WARN("skipped: unprivileged users may not create namespaces here");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace tailgate
