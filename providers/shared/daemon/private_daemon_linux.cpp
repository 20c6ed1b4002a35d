#include "providers/shared/daemon/private_daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <thread>

#include "harness/base/error.h"
#include "harness/os/namespaces_linux.h"

namespace tailgate {
namespace {

constexpr std::chrono::milliseconds kPollInterval{2};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> joined(
    const std::vector<std::pair<std::string, std::string>>& environment) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : environment) entries.push_back(name + "=" + value);
  return entries;
}

// Closes the descriptor at the end of the scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// Everything that the child needs; prepared before the fork, because the child may not allocate.
struct Preparation {
  explicit Preparation(DaemonCommand& command)
      : arguments(pointers(command.arguments)),
        environment_entries(joined(command.environment)),
        environment(pointers(environment_entries)),
        namespaces(command.namespace_pid),
        log(open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {}

  std::vector<char*> arguments;
  std::vector<std::string> environment_entries;
  std::vector<char*> environment;
  OtherNamespaces namespaces;
  Descriptor log;
};

void restore_signals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int number = 1; number < 32; ++number) signal(number, SIG_DFL);
}

// What the child reports when it could not execute the daemon.
struct Failure {
  bool at_exec = false;  // false: entering the namespaces failed
  int error_number = 0;
};

// Runs in the child between fork and exec and makes system calls only. It writes a Failure to
// `report`; a successful exec closes that descriptor instead.
[[noreturn]] void become(const Preparation& prepared, int report, pid_t parent) {
  restore_signals();
  setsid();
  const int nothing = open("/dev/null", O_RDONLY);
  const bool entered = prepared.namespaces.enter();
  const int enter_error = errno;
  // After entering the namespaces, which may reset this setting.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (entered && getppid() == parent) {
    dup2(nothing, STDIN_FILENO);
    dup2(prepared.log.number(), STDOUT_FILENO);
    dup2(prepared.log.number(), STDERR_FILENO);
    execve(prepared.arguments.front(), prepared.arguments.data(), prepared.environment.data());
  }
  const Failure failure = {entered, entered ? errno : enter_error};
  static_cast<void>(!write(report, &failure, sizeof failure));
  _exit(127);
}

ChildEnd end_from_status(int status) {
  if (WIFEXITED(status)) return {true, WEXITSTATUS(status)};
  return {false, WTERMSIG(status)};
}

std::uint64_t nanoseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_usec) * 1000;
}

}  // namespace

PrivateDaemon::PrivateDaemon(DaemonCommand command) : command_(std::move(command)) {
  const Preparation prepared(command_);
  if (prepared.log.number() < 0) {
    throw system_error("open", command_.log.string(), errno, "choose another --scratch folder");
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw system_error("pipe2", command_.name, errno, "raise the limit of open files");
  }
  const Descriptor from(ends[0]);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(prepared, ends[1], parent);
  const int fork_error = errno;
  close(ends[1]);
  if (pid_ < 0) throw system_error("fork", command_.name, fork_error, "raise the process limit");
  Failure failure;
  if (read(from.number(), &failure, sizeof failure) != sizeof failure) return;
  waitpid(pid_, nullptr, 0);
  if (!failure.at_exec) {
    throw system_error("setns", command_.name, failure.error_number,
                       "see what ended the namespace's holder");
  }
  throw system_error("execve", command_.arguments.front(), failure.error_number,
                     "install it; see ci/setup");
}

PrivateDaemon::~PrivateDaemon() {
  if (alive()) stop(std::chrono::milliseconds{0});
}

bool PrivateDaemon::reap(int flags) {
  int status = 0;
  rusage used = {};
  if (wait4(pid_, &status, flags, &used) != pid_) return false;
  end_ = end_from_status(status);
  cpu_ns_at_end_ = nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime);
  return true;
}

std::optional<ChildEnd> PrivateDaemon::end() {
  if (!end_) reap(WNOHANG);
  return end_;
}

std::uint64_t PrivateDaemon::cpu_ns() {
  return alive() ? process_cpu_ns(pid_).value_or(0) : cpu_ns_at_end_;
}

std::optional<ChildEnd> PrivateDaemon::wait_for(std::chrono::milliseconds limit) {
  PatientDeadline deadline(limit);
  while (alive() && !deadline.passed()) {
    std::this_thread::sleep_for(kPollInterval);
  }
  return end_;
}

void PrivateDaemon::wait_until(const std::function<bool()>& ready,
                               std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!ready()) {
    const std::string log = command_.log.string();
    if (!alive()) {
      throw Error(fmt::format("{} ended by {} before it was ready; it said: {}", command_.name,
                              end_->text(), last_words()),
                  "see " + log + " (keep it with --keep)");
    }
    if (std::chrono::steady_clock::now() > deadline) {
      throw Error(fmt::format("{} was not ready after {} ms; it said: {}", command_.name,
                              limit.count(), last_words()),
                  "see " + log + " (keep it with --keep)");
    }
    std::this_thread::sleep_for(kPollInterval);
  }
}

void PrivateDaemon::signal(int number) {
  if (alive() && kill(pid_, number) == 0) return;
  throw Error(fmt::format("{} (process {}) has ended", command_.name, pid_), "see its log");
}

void PrivateDaemon::resume() {
  if (alive()) kill(pid_, SIGCONT);
}

ChildEnd PrivateDaemon::stop(std::chrono::milliseconds grace) {
  if (alive() && grace.count() > 0) {
    kill(pid_, SIGTERM);
    resume();
    wait_for(grace);
  }
  if (alive()) {
    kill(pid_, SIGKILL);
    while (!reap(0) && errno == EINTR) {
    }
  }
  return *end_;
}

std::string PrivateDaemon::last_words() const {
  std::ifstream input(command_.log);
  std::string last;
  for (std::string line; std::getline(input, line);) {
    if (!line.empty()) last = line.substr(0, 300);
  }
  return last.empty() ? "nothing" : last;
}

std::filesystem::path find_daemon(const std::string& name) {
  for (const char* folder : {"/usr/lib/systemd", "/lib/systemd", "/usr/local/sbin", "/usr/sbin",
                             "/sbin", "/usr/local/bin", "/usr/bin", "/bin"}) {
    std::filesystem::path path = std::filesystem::path(folder) / name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

}  // namespace tailgate
