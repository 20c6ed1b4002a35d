#include "harness/overhead/process_group_linux.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "harness/os/outside.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

// Returns where the cgroup v2 hierarchy is mounted, or an empty path. In /proc/self/mountinfo the
// fifth field is the mount point, and the type follows the field "-" (proc(5)).
fs::path hierarchy() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string place;
    for (int field = 0; field < 5; ++field) fields >> place;
    return place;
  }
  return {};
}

// Returns this process's group as a path relative to the hierarchy, from the line "0::/path" of
// /proc/self/cgroup (cgroups(7)).
fs::path own_group() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::/")) return line.substr(4);
  }
  return {};
}

bool write_text(const fs::path& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int reason = errno;
  close(file);
  errno = reason;
  return written;
}

}  // namespace

ProcessGroup::ProcessGroup(const fs::path& run_folder) {
  make(run_folder);
  if (!exists()) return;
  cpu_ = ProcFile(folder_ / "cpu.stat");
  cpu_pressure_ = ProcFile(folder_ / "cpu.pressure");
  memory_pressure_ = ProcFile(folder_ / "memory.pressure");
  io_pressure_ = ProcFile(folder_ / "io.pressure");
}

void ProcessGroup::make(const fs::path& run_folder) {
  const fs::path root = hierarchy();
  if (root.empty()) {
    why_not_ = "no cgroup v2 hierarchy is mounted; mount one";
    return;
  }
  parent_ = root / own_group();
  std::random_device random;
  folder_ = parent_ / fmt::format("tailgate-daemons-{:08x}{:08x}", random(), random());
  note_outside(run_folder, folder_);
  if (mkdir(folder_.c_str(), 0755) != 0) {
    why_not_ = fmt::format("cannot create a group in {}: {}; run as root", parent_.string(),
                           std::strerror(errno));
  }
}

ProcessGroup::~ProcessGroup() {
  if (!exists()) return;
  std::ifstream processes(folder_ / "cgroup.procs");
  for (std::string pid; std::getline(processes, pid);) write_text(parent_ / "cgroup.procs", pid);
  // A killed process stays in the group until the kernel has removed it.
  for (int attempt = 0; rmdir(folder_.c_str()) != 0 && errno == EBUSY && attempt < 100; ++attempt) {
    usleep(1000);
  }
}

bool ProcessGroup::add(int pid) {
  return exists() && write_text(folder_ / "cgroup.procs", std::to_string(pid));
}

Counters ProcessGroup::read() const {
  Counters counters;
  const std::string_view cpu = cpu_.read();
  const auto time_ns = [cpu](std::string_view key) -> Counters::Count {
    const Counters::Count time_us = number_after(cpu, key);
    return time_us ? Counters::Count(*time_us * 1000) : std::nullopt;
  };
  counters.cpu_ns = time_ns("usage_usec");
  counters.user_ns = time_ns("user_usec");
  counters.system_ns = time_ns("system_usec");
  counters.cpu_stall_ns = some_stall_ns(cpu_pressure_.read());
  counters.memory_stall_ns = some_stall_ns(memory_pressure_.read());
  counters.io_stall_ns = some_stall_ns(io_pressure_.read());
  return counters;
}

}  // namespace tailgate
