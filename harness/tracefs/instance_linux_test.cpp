// Tests creation and removal of tracefs instances. Needs root; skipped otherwise.
#include "harness/tracefs/instance.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"

namespace tailgate::tracefs {
namespace {

const InstanceOptions kSmall = {.buffer_bytes = 8192, .clock = ClockKind::os_monotonic};

bool skipped() {
  const Probe probe = probe_tracefs();
  if (!probe.available) WARN("skipped: " << probe.reason << "; " << probe.remedy);
  return !probe.available;
}

bool exists(const std::string& name) {
  const std::vector<std::string> names = TraceFolder::root().folders_in("instances");
  return std::count(names.begin(), names.end(), name) == 1;
}

void make_folder(const std::string& name) {
  REQUIRE(mkdirat(TraceFolder::root().native(), ("instances/" + name).c_str(), 0700) == 0);
}

void remove_folder(const std::string& name) {
  unlinkat(TraceFolder::root().native(), ("instances/" + name).c_str(), AT_REMOVEDIR);
}

// The instance of a process that was killed.
struct Orphan {
  std::string name;
  Handle held;  // prevents concurrent tests from removing it
};

Orphan leave_orphan() {
  const TestDirectory directory;
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const Instance instance(directory.path(), kSmall);
    const std::string name = instance.name() + "\n";
    const bool told = write(ready[1], name.data(), name.size()) > 0;
    while (told) pause();
    _exit(1);
  }
  close(ready[1]);
  Orphan orphan;
  for (char letter; read(ready[0], &letter, 1) == 1 && letter != '\n';) orphan.name += letter;
  close(ready[0]);
  orphan.held = TraceFolder::root().open("instances/" + orphan.name + "/tracing_on", O_RDONLY);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return orphan;
}

TEST_CASE("an instance's name contains its owner's PID, and other names are rejected") {
  CHECK(owner_pid(instance_name(), '-') == getpid());
  CHECK(owner_pid("tailgate_77_0123abcd", '_') == 77);
  for (const char* name : {"", "tailgate", "tailgate-", "tailgate-1", "tailgate-1-",
                           "foo-1-0123abcd", "tailgate--0123abcd", "tailgate-x-0123abcd",
                           "tailgate-1-0123abcg", "tailgate-1-0123abc", "tailgate-1-0123abcde",
                           "tailgate-0-0123abcd", "tailgate-1x-0123abcd", "tailgate_1_0123abcd"}) {
    INFO(name);
    CHECK(owner_pid(name, '-') == 0);
  }
}

TEST_CASE("an instance exists as long as its owner, and the other roles find it") {
  if (skipped()) return;
  const TestDirectory directory;
  std::string name;
  {
    const Instance instance(directory.path(), kSmall);
    name = instance.name();
    CHECK(exists(name));
    CHECK(open_instance(directory.path()).read("trace_clock").find("[mono_raw]") !=
          std::string::npos);
    const auto granted = instance.granted();
    const auto has = [&](const std::string& key, const std::string& value) {
      return std::count(granted.begin(), granted.end(), std::pair(key, value)) == 1;
    };
    CHECK(has("trace_clock", "mono_raw"));
    CHECK(has("overwrite", "true"));
    CHECK(buffer_counts(instance.folder()).overrun_events == 0);
  }
  CHECK_FALSE(exists(name));
  CHECK_THROWS_AS(open_instance(directory.path()), Error);
}

TEST_CASE("a configuration that the kernel rejects leaves no instance") {
  if (skipped()) return;
  const TestDirectory directory;
  InstanceOptions impossible = kSmall;
  impossible.buffer_bytes = std::uint64_t{1} << 62;
  CHECK_THROWS_AS(Instance(directory.path(), impossible), Error);
  for (const std::string& name : TraceFolder::root().folders_in("instances")) {
    CHECK(owner_pid(name, '-') != getpid());
  }
}

TEST_CASE("the next run removes the instance of a killed run, and no others") {
  if (skipped()) return;
  Orphan orphan = leave_orphan();
  REQUIRE(owner_pid(orphan.name, '-') > 0);
  CHECK(exists(orphan.name));
  const std::string stranger = "tailgate-test-" + std::to_string(getpid());
  const std::string living = "tailgate-1-0123abcd";
  make_folder(stranger);
  make_folder(living);
  orphan.held.close();
  sweep_instances(TraceFolder::root());
  CHECK_FALSE(exists(orphan.name));
  CHECK(exists(stranger));
  CHECK(exists(living));
  remove_folder(stranger);
  remove_folder(living);
}

// As if its owner lived in another PID namespace.
TEST_CASE("an instance with an open file is not removed even if its owner is not visible") {
  if (skipped()) return;
  Orphan orphan = leave_orphan();
  const TraceFolder root = TraceFolder::root();
  sweep_instances(root);
  CHECK(exists(orphan.name));
  orphan.held.close();
  sweep_instances(root);
  CHECK_FALSE(exists(orphan.name));
}

}  // namespace
}  // namespace tailgate::tracefs
