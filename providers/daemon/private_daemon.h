// A daemon that works for one session only: started, watched and ended by it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/process.h"

namespace tailgate {

struct DaemonCommand {
  std::string name;                    // for messages and DaemonProcess: "journald"
  std::vector<std::string> arguments;  // the program's absolute path first
  std::vector<std::pair<std::string, std::string>> environment = {};  // all that it gets
  std::filesystem::path log;  // standard output and error are appended to this file
  int namespace_pid = 0;      // PrivateNamespace::pid(); 0: runs in ours
};

// Dies with the thread that started it, by SIGKILL, however that one ends. Processes that the
// daemon starts itself are its own affair.
class PrivateDaemon {
 public:
  // Starts it. Throws Error when it cannot be started.
  explicit PrivateDaemon(DaemonCommand command);
  // Kills it when it still runs.
  ~PrivateDaemon();
  PrivateDaemon(const PrivateDaemon&) = delete;
  PrivateDaemon& operator=(const PrivateDaemon&) = delete;

  const std::string& name() const { return command_.name; }
  int pid() const { return pid_; }
  bool alive() { return !end(); }
  // How it ended, or nothing while it runs.
  std::optional<ChildEnd> end();

  // Processor time, user and system, that it has used so far, or until its end.
  std::uint64_t cpu_ns();

  // Returns once ready() does; throws Error, with the last line of the log, when the daemon ends
  // before or the limit passes.
  void wait_until(const std::function<bool()>& ready, std::chrono::milliseconds limit);

  // Lets it go on if something has stopped it (SIGSTOP).
  void resume();

  // Asks it to end with SIGTERM, wakes it if it was stopped, and waits; kills it when the grace
  // has passed. A second call returns the same end.
  ChildEnd stop(std::chrono::milliseconds grace);

  // The last line of the log that is not empty, at most 300 bytes.
  std::string last_words() const;

 private:
  bool reap(int flags);
  std::optional<ChildEnd> wait_for(std::chrono::milliseconds limit);

  DaemonCommand command_;
  int pid_ = 0;
  std::optional<ChildEnd> end_;
  std::uint64_t cpu_ns_at_end_ = 0;
};

// The program of that name in the folders where daemons and tools are installed (/usr/lib/systemd
// among them), whatever PATH says; empty when there is none.
std::filesystem::path find_daemon(const std::string& name);

}  // namespace tailgate
