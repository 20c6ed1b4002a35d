#include "harness/os/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "harness/base/error.h"
#include "harness/os/affinity.h"
#include "harness/os/child_environment_linux.h"

namespace tailgate {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPollInterval{100};
constexpr std::chrono::seconds kPatienceToEnd{1};

int open_file(const std::filesystem::path& path, int flags) {
  const int number = open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (number < 0) {
    throw system_error("open", path.string(), errno, "choose another --scratch folder");
  }
  return number;
}

class File {
 public:
  File(const std::filesystem::path& path, int flags) : number_(open_file(path, flags)) {}
  explicit File(int number) : number_(number) {}
  ~File() { close(number_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

struct ShellFiles {
  int input;
  int output;
  int log;
  int start;  // a byte comes when the process may become the shell; its end: never
};

// Runs between fork and exec, so it makes only system calls.
[[noreturn]] void become_shell(const CommandOptions& options, char* const* environment,
                               const ShellFiles& files, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  dup2(files.input, STDIN_FILENO);
  dup2(files.output, STDOUT_FILENO);
  dup2(files.log, STDERR_FILENO);
  char go = 0;
  if (read(files.start, &go, 1) != 1) _exit(127);
  if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) _exit(127);
  // What this process ignores, the command would ignore, too.
  for (const int number : {SIGXFSZ, SIGPIPE}) signal(number, SIG_DFL);
  execle("/bin/sh", "sh", "-c", options.command.c_str(), static_cast<char*>(nullptr), environment);
  _exit(127);
}

// begin: is put off by what is done before.
void let_start(const CommandOptions& options, pid_t pid, int started,
               SteadyClock::time_point& begin) {
  const SteadyClock::time_point held = SteadyClock::now();
  try {
    if (options.before_start) options.before_start(pid);
  } catch (...) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    throw;
  }
  begin += SteadyClock::now() - held;
  const char go = 1;
  // If the process has been killed already, its end tells.
  [[maybe_unused]] const ssize_t told = write(started, &go, 1);
}

pid_t start(const CommandOptions& options, SteadyClock::time_point& begin) {
  const File input("/dev/null", O_RDONLY);
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
  const File output(options.output, kNew);
  const File log(options.log.empty() ? fcntl(output.number(), F_DUPFD_CLOEXEC, 0)
                                     : open_file(options.log, kNew));
  std::vector<std::string> variables = merged_environment(options.environment);
  const std::vector<char*> environment = pointers(variables);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw system_error("pipe2", "for a command", errno, "raise the limit 'ulimit -n'");
  }
  const File start(ends[0]);
  const File started(ends[1]);
  const ScopedAffinity restore;
  bind_this_thread(options.cpus);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    close(started.number());
    become_shell(options, environment.data(),
                 {.input = input.number(),
                  .output = output.number(),
                  .log = log.number(),
                  .start = start.number()},
                 parent);
  }
  if (pid < 0) throw system_error("fork", options.command, errno, "raise the process limit");
  setpgid(pid, pid);  // the child does so, too; whoever is first
  let_start(options, pid, started.number(), begin);
  return pid;
}

bool ended_within(int process, std::chrono::milliseconds limit) {
  pollfd wanted = {.fd = process, .events = POLLIN, .revents = 0};
  return poll(&wanted, 1, static_cast<int>(limit.count())) > 0;
}

CommandStop wait_for(int process, SteadyClock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now());
    if (ended_within(process, std::clamp(left, std::chrono::milliseconds{0}, kPollInterval))) {
      return CommandStop::none;
    }
    if (InterruptFlag::raised()) return CommandStop::interrupted;
    if (SteadyClock::now() >= deadline) return CommandStop::timed_out;
  }
}

std::uint64_t ns_of(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

}  // namespace

CommandEnd run_command(const CommandOptions& options) {
  SteadyClock::time_point begin = SteadyClock::now();
  const pid_t pid = start(options, begin);
  const File process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  CommandEnd result;
  if (process.number() >= 0) result.stop = wait_for(process.number(), begin + options.limit);
  const int failed = process.number() < 0 ? errno : 0;
  result.wall_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(SteadyClock::now() - begin).count());
  if (result.stop != CommandStop::none) {
    kill(-pid, SIGTERM);
    ended_within(process.number(), kPatienceToEnd);
  }
  // Before the shell is reaped, since its number names the group until then.
  kill(-pid, SIGKILL);
  int status = 0;
  rusage used = {};
  while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
  }
  if (failed != 0) {
    throw system_error("pidfd_open", options.command, failed, "use Linux 5.3 or later");
  }
  result.end =
      WIFEXITED(status) ? ChildEnd{true, WEXITSTATUS(status)} : ChildEnd{false, WTERMSIG(status)};
  result.cpu_ns = ns_of(used.ru_utime) + ns_of(used.ru_stime);
  return result;
}

}  // namespace tailgate
