// Tests that probes are made and removed. Needs root; skipped otherwise.
#include "harness/tracefs/uprobe_group.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/os/install_paths.h"
#include "harness/tracefs/instance.h"

namespace tailgate::tracefs {
namespace {

bool uprobes_skipped() {
  const Probe probe = probe_uprobes();
  if (!probe.available) WARN("skipped: " << probe.reason << "; " << probe.remedy);
  return !probe.available;
}

bool group_exists(const std::string& group) {
  return TraceFolder::root().read("uprobe_events").find(":" + group + "/") != std::string::npos;
}

Handle this_program() {
  return Handle(open(executable_path().c_str(), O_RDONLY | O_CLOEXEC));
}

// Any function whose code nobody runs in this test: the file's first instruction, at its entry.
std::uint64_t some_offset(int file) {
  std::uint64_t entry = 0;
  REQUIRE(pread(file, &entry, sizeof entry, 24) == sizeof entry);
  return entry;
}

// What a run leaves that is killed while its probes are enabled.
struct OrphanGroup {
  std::string group;
  std::string instance;
};

OrphanGroup leave_orphan_group() {
  const TestDirectory directory;
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const TraceFolder root = TraceFolder::root();
    const Handle file = this_program();
    UprobeGroup group(root);
    group.add("entry0", file.native(), some_offset(file.native()), false);
    const Instance instance(directory.path(),
                            {.buffer_bytes = 8192, .clock = ClockKind::os_monotonic});
    instance.folder().write("events/" + group.name() + "/enable", "1", "");
    const std::string names = group.name() + " " + instance.name() + "\n";
    const bool told = write(ready[1], names.data(), names.size()) > 0;
    while (told) pause();
    _exit(1);
  }
  close(ready[1]);
  OrphanGroup orphan;
  std::string* name = &orphan.group;
  for (char letter; read(ready[0], &letter, 1) == 1 && letter != '\n';) {
    if (letter == ' ') {
      name = &orphan.instance;
    } else {
      *name += letter;
    }
  }
  close(ready[0]);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return orphan;
}

}  // namespace

TEST_CASE("probes exist as long as their group") {
  if (uprobes_skipped()) return;
  std::string name;
  {
    const TraceFolder root = TraceFolder::root();
    const Handle file = this_program();
    UprobeGroup group(root);
    name = group.name();
    CHECK(owner_pid(name, '_') == getpid());
    CHECK_FALSE(group_exists(name));
    group.add("entry0", file.native(), some_offset(file.native()), false);
    group.add("return0", file.native(), some_offset(file.native()), true);
    CHECK(group_exists(name));
    CHECK(root.read("events/" + name + "/return0/format").find(" sp;") != std::string::npos);
    CHECK_THROWS_AS(group.add("entry1", -1, 0, false), Error);
    sweep_uprobes(root);
    CHECK(group_exists(name));
  }
  CHECK_FALSE(group_exists(name));
}

TEST_CASE("the next run removes the probes of a killed run, once no instance has them") {
  if (uprobes_skipped()) return;
  const OrphanGroup orphan = leave_orphan_group();
  const TraceFolder root = TraceFolder::root();
  REQUIRE(owner_pid(orphan.group, '_') > 0);
  // As if its owner lived in another namespace of processes, and held its instance.
  Handle held = root.open("instances/" + orphan.instance + "/tracing_on", O_RDONLY);
  sweep_instances(root);
  sweep_uprobes(root);
  CHECK(group_exists(orphan.group));
  held.close();
  sweep_instances(root);
  sweep_uprobes(root);
  CHECK_FALSE(group_exists(orphan.group));
}

}  // namespace tailgate::tracefs
