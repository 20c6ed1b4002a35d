// A daemon that a session starts: it writes what it says into a file of the trial's folder, and
// ends with the session's process whatever happens.
#pragma once

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace loggers {

class Daemon {
 public:
  // arguments: the program's path first. Throws when it cannot be started.
  Daemon(std::vector<std::string> arguments, std::string log)
      : arguments_(std::move(arguments)), log_(std::move(log)), pid_(start()) {
    if (pid_ < 0) throw std::runtime_error("'" + arguments_[0] + "' could not be started");
  }
  ~Daemon() { end(SIGKILL); }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  std::uint64_t pid() const { return static_cast<std::uint64_t>(pid_); }

  // Waits until `holds()`; throws when the daemon ends before, or time is over.
  template <class Holds>
  void wait_until(const char* what, std::chrono::seconds limit, Holds holds) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!holds()) {
      if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = -1;
        throw std::runtime_error("'" + arguments_[0] + "' ended before " + what + ", see its '" +
                                 log_ + "' (keep it with --keep)");
      }
      if (std::chrono::steady_clock::now() > end) {
        throw std::runtime_error("'" + arguments_[0] + "' took longer than " +
                                 std::to_string(limit.count()) + " s for: " + what);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  // Asks it to end, and waits for it.
  void stop() { end(SIGTERM); }

 private:
  pid_t start() {
    const pid_t parent = getpid();
    std::vector<char*> texts;
    for (std::string& argument : arguments_) texts.push_back(argument.data());
    texts.push_back(nullptr);
    const int log = open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const pid_t child = fork();
    if (child == 0) {
      // Between fork and exec of a process with threads, only such calls are allowed.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent || log < 0) _exit(126);
      dup2(log, STDOUT_FILENO);
      dup2(log, STDERR_FILENO);
      execv(texts[0], texts.data());
      _exit(127);
    }
    if (log >= 0) close(log);
    return child;
  }

  void end(int signal) {
    if (pid_ <= 0) return;
    kill(pid_, signal);
    for (int i = 0; i < 2000 && waitpid(pid_, nullptr, WNOHANG) == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (i == 1000) kill(pid_, SIGKILL);
    }
    pid_ = -1;
  }

  std::vector<std::string> arguments_;
  std::string log_;
  pid_t pid_;
};

}  // namespace loggers
