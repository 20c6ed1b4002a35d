// The processes that a daemon started itself: LTTng's session daemon has its consumer daemon and
// helpers, none of which we are the parent of.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace tailgate {

// One process, held by a descriptor: signals and waiting mean this process, never a later one of
// the same number.
class HeldProcess {
 public:
  HeldProcess(int pid, std::string name);
  ~HeldProcess();
  HeldProcess(HeldProcess&& other) noexcept;
  HeldProcess& operator=(HeldProcess&&) = delete;

  int pid() const { return pid_; }
  const std::string& name() const { return name_; }
  // False once it has ended, reaped or not.
  bool alive() const;
  bool wait_until_ended(std::chrono::milliseconds limit) const;
  void kill() const;
  // Lets it go on if something has stopped it (SIGSTOP).
  void resume() const;

 private:
  void send(int signal_number) const;

  int pid_;
  std::string name_;
  int descriptor_;  // -1: it had ended already
};

// Children, their children and so on, each after its parent.
std::vector<HeldProcess> descendants(int pid);

}  // namespace tailgate
