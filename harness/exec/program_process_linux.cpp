#include "harness/exec/program_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "harness/base/error.h"
#include "harness/os/affinity.h"
#include "harness/os/child_environment_linux.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatienceToEnd{1};

bool is_executable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

void close_if_open(int& file) {
  if (file >= 0) close(file);
  file = -1;
}

int open_or_throw(const fs::path& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (file < 0) throw system_error("open", path.string(), errno, "choose another --out folder");
  return file;
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw system_error("pipe2", "for a program", errno, "raise the limit 'ulimit -n'");
  }
  return ends;
}

struct ChildFiles {
  int input;
  int log;
  int start;    // a byte comes when the process may become the program; its end: never
  int failure;  // errno goes there if it cannot
};

// Runs between fork and exec, so it makes only system calls.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment,
                         const ChildFiles& files, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  dup2(files.input, STDIN_FILENO);
  dup2(files.log, STDOUT_FILENO);
  dup2(files.log, STDERR_FILENO);
  // What this process ignores, the program would ignore, too.
  for (const int number : {SIGXFSZ, SIGPIPE}) signal(number, SIG_DFL);
  char byte = 0;
  if (read(files.start, &byte, 1) != 1) _exit(127);
  execve(program, arguments, environment);
  const int error = errno;
  if (write(files.failure, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

}  // namespace

fs::path program_path(const std::string& name) {
  if (name.find('/') == std::string::npos) {
    const std::optional<fs::path> found = find_program(name);
    if (found) return *found;
    throw Error(fmt::format("there is no program '{}' on the PATH", name),
                "install it, or give its path, as ./program");
  }
  if (is_executable(name)) return fs::absolute(name);
  std::error_code ignored;
  throw Error(fmt::format("'{}' {}", name,
                          fs::exists(name, ignored) ? "is not a program that this user may execute"
                                                    : "is not there"),
              "check the path of the program");
}

ProgramProcess::ProgramProcess(const ProgramOptions& options)
    : program_(program_path(options.command.front())) {
  std::vector<std::string> arguments = options.command;
  std::vector<std::string> environment = merged_environment(options.environment);
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> environment_pointers = pointers(environment);
  const std::array<int, 2> start = make_pipe();
  const std::array<int, 2> failure = make_pipe();
  start_ = start[1];
  failure_ = failure[0];
  int input = open_or_throw("/dev/null", O_RDONLY);
  int log = open_or_throw(options.log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
  const ScopedAffinity restore;
  bind_this_thread(options.cpus);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    become(program_.c_str(), argument_pointers.data(), environment_pointers.data(),
           {.input = input, .log = log, .start = start[0], .failure = failure[1]}, parent);
  }
  const int fork_error = errno;
  for (int file : {input, log, start[0], failure[1]}) close(file);
  if (pid_ < 0)
    throw system_error("fork", program_.string(), fork_error, "raise the process limit");
  setpgid(pid_, pid_);  // the child does so, too; whoever is first
  process_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (process_ < 0) {
    const int error = errno;
    end();
    throw system_error("pidfd_open", program_.string(), error, "use Linux 5.3 or later");
  }
}

ProgramProcess::~ProgramProcess() {
  end();
  for (int* file : {&process_, &start_, &failure_}) close_if_open(*file);
}

void ProgramProcess::begin() {
  const char go = 1;
  const bool told = write(start_, &go, 1) == 1;
  close_if_open(start_);
  int error = 0;
  // Ends when the process has become the program, which closes its side.
  const bool failed = read(failure_, &error, sizeof error) == sizeof error;
  close_if_open(failure_);
  if (told && !failed) return;
  end();
  throw system_error("execve", program_.string(), failed ? error : ECHILD,
                     "give a program that this machine can execute");
}

bool ProgramProcess::ended_within(std::chrono::milliseconds limit) const {
  pollfd wanted = {.fd = process_, .events = POLLIN, .revents = 0};
  return pid_ <= 0 || poll(&wanted, 1, static_cast<int>(limit.count())) > 0;
}

ChildEnd ProgramProcess::end() {
  if (pid_ <= 0) return {};
  close_if_open(start_);
  if (!ended_within(std::chrono::milliseconds{0})) {
    kill(-pid_, SIGTERM);
    ended_within(kPatienceToEnd);
  }
  // Before the program is reaped, since its number names the group until then.
  kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  return WIFEXITED(status) ? ChildEnd{true, WEXITSTATUS(status)}
                           : ChildEnd{false, WTERMSIG(status)};
}

}  // namespace tailgate
