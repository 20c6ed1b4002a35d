#include "providers/daemon/descendants.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace tailgate {
namespace {

struct Listed {
  int pid = 0;
  int parent = 0;
  std::string name;
};

// proc(5): "pid (name) state ppid …"; the name may itself hold parentheses.
bool parse_stat(const std::string& text, Listed& process) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 4 > text.size()) {
    return false;
  }
  process.name = text.substr(open + 1, close - open - 1);
  const char* parent = text.data() + close + 4;
  return std::from_chars(text.data(), text.data() + open, process.pid).ec == std::errc() &&
         std::from_chars(parent, text.data() + text.size(), process.parent).ec == std::errc();
}

std::vector<Listed> all_processes() {
  std::vector<Listed> processes;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", failed)) {
    const std::string number = entry.path().filename().string();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    // Not through the buffer's iterators: they throw when the process ends between opening and
    // reading.
    std::string text;
    std::getline(file, text, '\0');
    Listed process;
    if (parse_stat(text, process)) processes.push_back(std::move(process));
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
  const std::vector<Listed> processes = all_processes();
  std::vector<int> parents = {pid};
  std::vector<HeldProcess> found;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (const Listed& process : processes) {
      if (process.parent != parents[i]) continue;
      parents.push_back(process.pid);
      found.emplace_back(process.pid, process.name);
    }
  }
  return found;
}

}  // namespace tailgate
