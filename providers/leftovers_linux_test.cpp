// A controller that is killed in the middle of a trial: what it leaves goes by itself or with the
// next run, whatever the sink, and nothing else does.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "harness/base/testing/test_directory.h"
#include "harness/tracefs/instance.h"
#include "providers/shared/daemon/descendants.h"
#include "providers/testing/sinks.h"
#include "providers/testing/stress_trial.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) names.insert(entry.path());
  return names;
}

// Control groups, at any depth: where this process's own is, depends on the machine.
std::set<std::string> control_groups() {
  std::set<std::string> seen;
  std::error_code failed;
  constexpr auto kSkip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at("/sys/fs/cgroup", kSkip, failed), end;
       !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename();
    if (name.starts_with("tailgate-daemons-")) seen.insert(at->path());
  }
  return seen;
}

// What daemons use on a machine outside of a trial's directory, as all its processes see it.
std::set<std::string> machine() {
  std::set<std::string> seen;
  for (const char* folder :
       {"/run", "/run/systemd", "/run/systemd/journal", "/run/log/journal", "/run/lttng",
        "/dev/shm", "/var/log/journal", "/var/lib/systemd", "/etc/systemd"}) {
    seen.merge(names_in(folder));
  }
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) seen.insert("mount " + line);
  return seen;
}

std::string instance_of(int pid) {
  if (!tracefs::probe_tracefs().available) return "";
  for (const std::string& name : tracefs::TraceFolder::root().folders_in("instances")) {
    if (tracefs::owner_pid(name, '-') == pid) return name;
  }
  return "";
}

// A controller, as `tailgate run` is one. Writes a byte when the load has begun.
pid_t start_run(const std::string& sink, const fs::path& parent, double duration_s, int tell) {
  const pid_t controller = fork();
  if (controller != 0) return controller;
  for (const int number : {SIGABRT, SIGTERM, SIGSEGV}) signal(number, SIG_DFL);
  try {
    test_sinks().sweep_dead_sessions();
    const Scratch scratch(parent, false);
    OnceDuringLoad begun(0.1, [tell] { static_cast<void>(!write(tell, "x", 1)); });
    const Trial trial = run_trial(sink_choice(sink), stress_load(1000, duration_s),
                                  stress_settings(), scratch.path() / "trial", begun);
    if (trial.outcome != TrialOutcome::completed) _exit(2);
  } catch (const Error&) {
    _exit(3);
  }
  // Not exit(), which would end the test program's affairs, too.
  _exit(0);
}

// Ends the controller when the load runs, and returns its pid.
pid_t kill_in_the_middle(const std::string& sink, const fs::path& parent) {
  const std::set<std::string> before = machine();
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t controller = start_run(sink, parent, 60, ends[1]);
  REQUIRE(controller > 0);
  close(ends[1]);
  char begun = 0;
  REQUIRE(read(ends[0], &begun, 1) == 1);
  close(ends[0]);
  CHECK(machine() == before);  // not even while it runs
  const std::vector<HeldProcess> processes = descendants(controller);
  CHECK_FALSE(processes.empty());
  kill(controller, SIGKILL);
  waitpid(controller, nullptr, 0);
  for (const HeldProcess& process : processes) {
    INFO(process.name());
    CHECK(process.wait_until_ended(std::chrono::seconds{20}));
  }
  return controller;
}

// Things that look like ours and are not, or are of a run that lives.
class Bystanders {
 public:
  explicit Bystanders(const fs::path& parent) : root_(tracefs::probe_tracefs().available) {
    for (const char* name : {"tailgate-unmarked", "tailgate-living", "other"}) {
      fs::create_directory(parent / name);
    }
    lock_ = open((parent / "tailgate-living" / "tailgate.lock").c_str(),
                 O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    REQUIRE(flock(lock_, LOCK_EX | LOCK_NB) == 0);
    if (!root_) return;
    for (const std::string& name : {tracefs::instance_name(), std::string("tailgate-x-01234567")}) {
      instances_.push_back("instances/" + name);
      REQUIRE(mkdirat(tracefs::TraceFolder::root().native(), instances_.back().c_str(), 0700) == 0);
    }
  }
  ~Bystanders() {
    close(lock_);
    for (const std::string& name : instances_) {
      unlinkat(tracefs::TraceFolder::root().native(), name.c_str(), AT_REMOVEDIR);
    }
  }
  Bystanders(const Bystanders&) = delete;
  Bystanders& operator=(const Bystanders&) = delete;

  void check(const fs::path& parent) const {
    CHECK(names_in(parent) == std::set<std::string>{parent / "tailgate-unmarked",
                                                    parent / "tailgate-living", parent / "other"});
    for (const std::string& name : instances_) CHECK(tracefs::TraceFolder::root().has(name));
  }

 private:
  bool root_;
  int lock_ = -1;
  std::vector<std::string> instances_;
};

TEST_CASE("what a killed run left, the next run sweeps, and nothing else") {
  const TestDirectory outside;
  const std::string elsewhere = "file:dir=" + outside.path().string();
  std::vector<std::string> choices = {"lttng:output=live", "lttng:output=snapshot",
                                      "journald:storage=volatile", "syslog:mode=syslog3",
                                      elsewhere};
  for (const auto& sink : test_sinks().all()) choices.push_back(sink->name());
  for (const std::string& text : choices) {
    const SinkChoice choice = sink_choice(text);
    const Probe probe = choice.type->probe(choice.options);
    if (!probe.available) {
      WARN("skipped: " << text << ": " << probe.reason << "; " << probe.remedy);
      continue;
    }
    INFO(text);
    const TestDirectory directory;
    const Bystanders bystanders(directory.path());
    const std::set<std::string> before = machine();
    const std::set<std::string> groups = control_groups();
    const pid_t killed = kill_in_the_middle(text, directory.path());
    CHECK(names_in(directory.path()).size() == 4);  // the dead run's folder is still there
    CHECK(names_in(outside.path()).size() == (text == elsewhere ? 1 : 0));
    // Of another sink: whichever comes next sweeps.
    const pid_t next = start_run("null", directory.path(), 0.1, -1);
    int status = 0;
    waitpid(next, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    bystanders.check(directory.path());
    CHECK(instance_of(killed).empty());
    CHECK(machine() == before);
    CHECK(names_in(outside.path()).empty());
    CHECK(control_groups() == groups);
  }
}

}  // namespace
}  // namespace tailgate
