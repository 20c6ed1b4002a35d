#include "providers/shared/daemon/descendants.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "harness/os/process_stat_linux.h"

namespace tailgate {
namespace {

std::vector<ProcessStat> all_processes() {
  std::vector<ProcessStat> processes;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", failed)) {
    const std::string number = entry.path().filename().string();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    std::optional<ProcessStat> process = read_process_stat(entry.path());
    if (process) processes.push_back(std::move(*process));
  }
  return processes;
}

}  // namespace

HeldProcess::HeldProcess(int pid, std::string name)
    : pid_(pid),
      name_(std::move(name)),
      descriptor_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}

HeldProcess::~HeldProcess() {
  if (descriptor_ >= 0) close(descriptor_);
}

HeldProcess::HeldProcess(HeldProcess&& other) noexcept
    : pid_(other.pid_),
      name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

bool HeldProcess::wait_until_ended(std::chrono::milliseconds limit) const {
  if (descriptor_ < 0) return true;
  pollfd wait = {descriptor_, POLLIN, 0};
  return poll(&wait, 1, static_cast<int>(limit.count())) > 0;
}

bool HeldProcess::alive() const {
  return !wait_until_ended(std::chrono::milliseconds{0});
}

void HeldProcess::send(int signal_number) const {
  if (descriptor_ >= 0) syscall(SYS_pidfd_send_signal, descriptor_, signal_number, nullptr, 0);
}

void HeldProcess::kill() const {
  send(SIGKILL);
}

void HeldProcess::resume() const {
  send(SIGCONT);
}

std::vector<HeldProcess> descendants(int pid) {
  const std::vector<ProcessStat> processes = all_processes();
  std::vector<int> parents = {pid};
  std::vector<HeldProcess> found;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (const ProcessStat& process : processes) {
      if (process.parent_pid != parents[i]) continue;
      parents.push_back(process.pid);
      found.emplace_back(process.pid, process.name);
    }
  }
  return found;
}

}  // namespace tailgate
