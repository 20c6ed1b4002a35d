// The processes that a daemon started. LTTng's session daemon starts a consumer daemon and helpers;
// tailgate is not their parent and cannot wait for them as such.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace tailgate {

// One process, held by a pidfd: signals and waits reach this process, never a later one with the
// same pid.
class HeldProcess {
 public:
  HeldProcess(int pid, std::string name);
  ~HeldProcess();
  HeldProcess(HeldProcess&& other) noexcept;
  HeldProcess& operator=(HeldProcess&&) = delete;

  int pid() const { return pid_; }
  const std::string& name() const { return name_; }
  // False once it has ended, even if nobody has reaped it.
  bool alive() const;
  bool wait_until_ended(std::chrono::milliseconds limit) const;
  void kill() const;
  // Sends SIGCONT, in case something stopped the process (SIGSTOP).
  void resume() const;

 private:
  void send(int signal_number) const;

  int pid_;
  std::string name_;
  int descriptor_;  // -1: the process had already ended
};

// Returns all descendants of `pid`, each after its parent.
std::vector<HeldProcess> descendants(int pid);

}  // namespace tailgate
