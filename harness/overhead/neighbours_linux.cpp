#include <fmt/format.h>

#include <utility>

#include "harness/os/process.h"
#include "harness/os/process_stat_linux.h"
#include "harness/overhead/neighbours.h"
#include "harness/overhead/proc_file_linux.h"

namespace tailgate {
namespace {

// The kernel's threads are the children of this process. In a container it is some other one, whose
// children have names of programs.
constexpr int kKernel = 2;

}  // namespace

std::optional<std::vector<ProcessTime>> process_times() {
  std::vector<ProcessTime> all;
  for (const int pid : numbers_in("/proc")) {
    const std::string_view text = ProcFile(fmt::format("/proc/{}/stat", pid)).read();
    std::optional<ProcessStat> stat = parse_process_stat(text);
    const std::optional<std::uint64_t> cpu_ns = process_cpu_ns(pid);
    if (!stat || !cpu_ns) continue;  // it has ended
    std::string name = std::move(stat->name);
    if (stat->parent_pid == kKernel) name = name.substr(0, name.find('/'));
    all.push_back({pid, stat->parent_pid, std::move(name), *cpu_ns});
  }
  if (all.empty()) return {};  // no /proc
  return all;
}

}  // namespace tailgate
