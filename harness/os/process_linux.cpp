#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "harness/base/error.h"
#include "harness/os/child_environment_linux.h"
#include "harness/os/install_paths.h"
#include "harness/os/namespaces_linux.h"
#include "harness/os/process.h"

namespace tailgate {
namespace {

constexpr int kInterrupts[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<bool> interrupted{false};

void on_interrupt(int signal_number) {
  if (interrupted.exchange(true)) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
}

ChildEnd end_from_status(int status) {
  if (WIFEXITED(status)) return {true, WEXITSTATUS(status)};
  return {false, WTERMSIG(status)};
}

// How to execute this program again: by its path where that still names this file, since a process
// that was executed by the link in /proc finds itself, in another root, under a path that is not
// there; else by the link, since the file may have been replaced by a newer build.
const char* this_program(const char* path) {
  constexpr const char* kLink = "/proc/self/exe";
  struct stat by_path {};
  struct stat by_link {};
  const bool same = stat(path, &by_path) == 0 && stat(kLink, &by_link) == 0 &&
                    by_path.st_dev == by_link.st_dev && by_path.st_ino == by_link.st_ino;
  return same ? path : kLink;
}

// Runs between fork and exec, so it makes only system calls.
[[noreturn]] void become(const ChildOptions& options, const OtherNamespaces& namespaces, int output,
                         pid_t parent, const char* own_path, char** arguments, char** environment) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent || !namespaces.enter()) _exit(127);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  for (std::intptr_t file : options.inherited) fcntl(static_cast<int>(file), F_SETFD, 0);
  execve(options.program.empty() ? this_program(own_path) : options.program.c_str(), arguments,
         environment);
  _exit(127);
}

}  // namespace

std::string ChildEnd::text() const {
  if (exited) return fmt::format("exit code {}", code);
  return fmt::format("signal {} ({})", code, strsignal(code));
}

bool ChildEnd::killed() const {
  return !exited && (code == SIGKILL || code == SIGTERM);
}

Child Child::start(const ChildOptions& options) {
  std::vector<std::string> arguments = options.arguments;
  arguments.insert(arguments.begin(), "tailgate");
  std::vector<std::string> environment = merged_environment(options.environment);
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> environment_pointers = pointers(environment);

  const OtherNamespaces namespaces(options.namespace_pid);
  const int output = options.output.empty() ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
                                            : open(options.output.c_str(),
                                                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (output < 0) {
    throw system_error("open", options.output.string(), errno, "choose another --scratch folder");
  }
  const std::filesystem::path own_path = executable_path();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    become(options, namespaces, output, parent, own_path.c_str(),
           const_cast<char**>(argument_pointers.data()),
           const_cast<char**>(environment_pointers.data()));
  }
  const int fork_error = errno;
  close(output);
  if (pid < 0) throw system_error("fork", "tailgate", fork_error, "raise the process limit");
  return Child(pid, pid);
}

Child::~Child() {
  if (process_ != 0 && !end_) kill();
}

std::optional<ChildEnd> Child::poll() {
  if (end_) return end_;
  int status = 0;
  const pid_t reaped = waitpid(static_cast<pid_t>(process_), &status, WNOHANG);
  if (reaped == static_cast<pid_t>(process_)) end_ = end_from_status(status);
  return end_;
}

ChildEnd Child::kill() {
  if (std::optional<ChildEnd> end = poll()) return *end;
  ::kill(static_cast<pid_t>(process_), SIGKILL);
  int status = 0;
  while (waitpid(static_cast<pid_t>(process_), &status, 0) < 0 && errno == EINTR) {
  }
  end_ = end_from_status(status);
  return *end_;
}

InterruptFlag::InterruptFlag() {
  interrupted = false;
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  for (const int number : kInterrupts) {
    struct sigaction before = {};
    sigaction(number, nullptr, &before);
    // nohup(1) asks to survive the terminal.
    const bool unwanted = number == SIGHUP && before.sa_handler == SIG_IGN;
    if (!unwanted) sigaction(number, &action, nullptr);
  }
}

InterruptFlag::~InterruptFlag() {
  for (const int number : kInterrupts) {
    struct sigaction now = {};
    sigaction(number, nullptr, &now);
    if (now.sa_handler == on_interrupt) signal(number, SIG_DFL);
  }
}

bool InterruptFlag::raised() {
  return interrupted.load(std::memory_order_relaxed);
}

int run_program(std::vector<std::string> arguments) {
  const std::vector<char*> argument_pointers = pointers(arguments);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, arguments.front().c_str(), nullptr, nullptr,
                                  argument_pointers.data(), environ);
  if (failed != 0) {
    throw system_error("posix_spawnp", arguments.front(), failed, "install it; see ci/setup");
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const ChildEnd end = end_from_status(status);
  return end.exited ? end.code : 128 + end.code;
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const char* const folders = std::getenv("PATH");
  std::istringstream rest(folders == nullptr ? "/usr/bin:/bin" : folders);
  for (std::string folder; std::getline(rest, folder, ':');) {
    const std::filesystem::path path = std::filesystem::absolute(folder) / name;
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed) || access(path.c_str(), X_OK) != 0)
      continue;
    std::filesystem::path resolved = std::filesystem::canonical(path, failed);
    if (!failed) return resolved;
  }
  return {};
}

void prepare_process() {
  signal(SIGXFSZ, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // open() takes the lowest number that is free. Not to be written to: that must fail as before.
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != stream) std::abort();
  }
}

void prepare_child_process() {
  prepare_process();
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  prctl(PR_SET_TIMERSLACK, 1);
}

void name_this_thread(const std::string& name) {
  prctl(PR_SET_NAME, name.c_str());
}

int this_process_number() {
  return getpid();
}

std::uint32_t this_thread_number() {
  return static_cast<std::uint32_t>(gettid());
}

std::size_t open_descriptors() {
  std::error_code ignored;
  const std::filesystem::directory_iterator all("/proc/self/fd", ignored);
  return static_cast<std::size_t>(std::distance(all, std::filesystem::directory_iterator()));
}

std::optional<std::uint64_t> process_cpu_ns(int pid) {
  clockid_t clock;
  timespec used;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return {};
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

}  // namespace tailgate
