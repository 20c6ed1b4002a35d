// A daemon that serves one session only: the session starts, watches and ends it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/os/process.h"

namespace tailgate {

struct DaemonCommand {
  std::string name;                    // in messages and in DaemonProcess: "journald"
  std::vector<std::string> arguments;  // [0]: the program's absolute path
  std::vector<std::pair<std::string, std::string>> environment = {};  // the whole environment
  std::filesystem::path log;  // standard output and error are appended to this file
  int namespace_pid = 0;      // PrivateNamespace::pid(); 0: no private namespace
};

// The kernel kills the daemon (SIGKILL) when the thread that started it ends, however that happens.
// Processes that the daemon starts are not covered.
class PrivateDaemon {
 public:
  // Starts the daemon. Throws Error when that fails.
  explicit PrivateDaemon(DaemonCommand command);
  // Kills the daemon if it still runs.
  ~PrivateDaemon();
  PrivateDaemon(const PrivateDaemon&) = delete;
  PrivateDaemon& operator=(const PrivateDaemon&) = delete;

  const std::string& name() const { return command_.name; }
  int pid() const { return pid_; }
  bool alive() { return !end(); }
  // How the daemon ended, or nothing while it runs.
  std::optional<ChildEnd> end();

  // The daemon's processor time, user and system, up to now or to its end.
  std::uint64_t cpu_ns();

  // Waits until ready() returns true. Throws Error with the last line of the log when the daemon
  // ends first or the limit passes.
  void wait_until(const std::function<bool()>& ready, std::chrono::milliseconds limit);

  // Sends that signal. Throws Error if the daemon has ended.
  void signal(int number);

  // Sends SIGCONT, in case something stopped the daemon (SIGSTOP).
  void resume();

  // Sends SIGTERM, then SIGCONT in case it was stopped, and waits; kills it when the grace period
  // has passed. A second call returns the same result.
  ChildEnd stop(std::chrono::milliseconds grace);

  // The last non-empty line of the log, at most 300 bytes.
  std::string last_words() const;

 private:
  bool reap(int flags);
  std::optional<ChildEnd> wait_for(std::chrono::milliseconds limit);

  DaemonCommand command_;
  int pid_ = 0;
  std::optional<ChildEnd> end_;
  std::uint64_t cpu_ns_at_end_ = 0;
};

// Finds a program in the folders where daemons and tools are installed (/usr/lib/systemd among
// them), independently of PATH. Empty when there is none.
std::filesystem::path find_daemon(const std::string& name);

}  // namespace tailgate
