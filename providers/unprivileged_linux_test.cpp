// Whole trials as a user without privilege: what can run does, and what cannot says why.
#include <catch2/catch.hpp>

#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "harness/base/testing/test_directory.h"
#include "providers/testing/sinks.h"
#include "providers/testing/stress_trial.h"

namespace tailgate {
namespace {

constexpr unsigned kNobody = 65534;

enum Verdict : int { kCarried, kUnexplained, kNotPossible, kWrong };

Verdict try_sink(const std::string& text, const std::filesystem::path& parent) {
  const SinkChoice choice = sink_choice(text);
  const Probe probe = choice.type->probe(choice.options);
  if (!probe.available) {
    return probe.reason.empty() || probe.remedy.empty() ? kUnexplained : kNotPossible;
  }
  const Scratch scratch(parent, false);
  const Trial trial = run_trial(choice, stress_load(1000, 0.2), stress_settings(),
                                scratch.path() / "trial", [](const TrialProgress&) {});
  const bool carried = trial.outcome == TrialOutcome::completed && balanced(trial.ledger) &&
                       trial.ledger.delivered == trial.ledger.emitted && trial.ledger.emitted > 0;
  if (!carried) std::fprintf(stderr, "%s: %s\n", text.c_str(), describe(trial).c_str());
  return carried ? kCarried : kWrong;
}

// In a child, which gives up what privilege it has for good.
Verdict try_unprivileged(const std::string& text, const std::filesystem::path& parent) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int number : {SIGABRT, SIGTERM, SIGSEGV}) signal(number, SIG_DFL);
    if (geteuid() == 0 &&
        (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0)) {
      _exit(kWrong);
    }
    prctl(PR_SET_DUMPABLE, 1);  // as after an exec: without it /proc/self belongs to root
    try {
      _exit(try_sink(text, parent));
    } catch (const Error& error) {
      std::fprintf(stderr, "%s: %s\n", text.c_str(), error.what());
      _exit(kWrong);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? static_cast<Verdict>(WEXITSTATUS(status)) : kWrong;
}

// The provider and the consumer process are this program run again, by that user.
bool others_may_run_this() {
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe");
  for (; path != path.root_path(); path = path.parent_path()) {
    const auto permissions = std::filesystem::status(path).permissions();
    if ((permissions & std::filesystem::perms::others_exec) == std::filesystem::perms::none) {
      return false;
    }
  }
  return true;
}

TEST_CASE("a user without privilege gets every sink that needs none, and the reason for the rest") {
  if (geteuid() == 0 && !others_may_run_this()) {
    WARN("skipped: this program lies where other users cannot run it");
    return;
  }
  const TestDirectory directory;
  std::filesystem::permissions(directory.path(), std::filesystem::perms::all);
  std::vector<std::string> choices = {"lttng:output=live", "lttng:output=snapshot",
                                      "journald:storage=volatile:mode=sd_journal_send",
                                      "syslog:mode=syslog3"};
  for (const auto& sink : test_sinks().all()) choices.push_back(sink->name());
  for (const std::string& text : choices) {
    if (!sink_choice(text).type->capabilities(sink_choice(text).options).read_back) {
      continue;
    }
    INFO(text);
    const Verdict verdict = try_unprivileged(text, directory.path());
    if (verdict == kNotPossible) WARN("not possible without privilege: " << text);
    CHECK((verdict == kCarried || verdict == kNotPossible));
  }
  CHECK(std::filesystem::is_empty(directory.path()));
}

}  // namespace
}  // namespace tailgate
