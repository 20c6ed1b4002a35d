#include "harness/overhead/process_counters_linux.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <optional>

#include "harness/os/process.h"

namespace tailgate {
namespace {

std::uint64_t tick_ns() {
  static const auto ticks_hz = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  return 1'000'000'000 / ticks_hz;
}

}  // namespace

ProcessCounters::ProcessCounters(int pid)
    : pid_(pid),
      folder_(fmt::format("/proc/{}", pid)),
      descriptors_(folder_ + "/fd"),
      stat_(folder_ + "/stat"),
      status_(folder_ + "/status"),
      io_(folder_ + "/io") {}

bool ProcessCounters::read() {
  const std::optional<ProcessStat> stat = parse_process_stat(stat_.read());
  if (!stat) return false;
  take_stat(*stat);
  if (stat->ended()) return false;
  read_status();
  read_io();
  read_descriptors();
  read_threads();
  return true;
}

void ProcessCounters::take_stat(const ProcessStat& stat) {
  counters_.minor_faults = stat.minor_faults;
  counters_.major_faults = stat.major_faults;
  const std::optional<std::uint64_t> cpu_ns = process_cpu_ns(pid_);
  if (!cpu_ns) return;
  // The kernel samples system time at timer ticks; the rest of the exact sum is user time.
  const std::uint64_t system_ns = std::min(stat.system_ticks * tick_ns(), *cpu_ns);
  counters_.cpu_ns = *cpu_ns;
  counters_.system_ns = system_ns;
  counters_.user_ns = *cpu_ns - system_ns;
}

void ProcessCounters::read_status() {
  const std::string_view status = status_.read();
  constexpr std::uint64_t kKibibyte = 1024;
  if (const auto rss = number_after(status, "VmRSS:")) counters_.rss_bytes = *rss * kKibibyte;
  if (const auto peak = number_after(status, "VmHWM:"))
    counters_.peak_rss_bytes = *peak * kKibibyte;
  if (const auto own = number_after(status, "RssAnon:")) counters_.private_bytes = *own * kKibibyte;
}

void ProcessCounters::read_io() {
  const std::string_view io = io_.read();
  if (io.empty()) return;
  counters_.read_bytes = number_after(io, "rchar:");
  counters_.written_bytes = number_after(io, "wchar:");
  counters_.storage_read_bytes = number_after(io, "read_bytes:");
  counters_.storage_written_bytes = number_after(io, "write_bytes:");
}

// From Linux 6.2 on the folder's size is the number of descriptors (proc_pid_fd(5)); before, it is
// 0, and the entries are counted. The folder of another user's process cannot be read without
// privileges, so the count is absent.
void ProcessCounters::read_descriptors() {
  struct stat folder = {};
  if (access(descriptors_.c_str(), R_OK | X_OK) != 0 || stat(descriptors_.c_str(), &folder) != 0) {
    return;
  }
  counters_.descriptors = folder.st_size > 0 ? static_cast<std::uint64_t>(folder.st_size)
                                             : numbers_in(descriptors_).size();
}

void ProcessCounters::find_threads() {
  const std::string folder = folder_ + "/task";
  for (const int thread : numbers_in(folder)) {
    if (threads_.contains(thread)) continue;
    threads_[thread] = {.schedstat = ProcFile(fmt::format("{}/{}/schedstat", folder, thread)),
                        .status = ProcFile(fmt::format("{}/{}/status", folder, thread))};
  }
}

void ProcessCounters::read_threads() {
  find_threads();
  counters_.run_queue_ns = 0;
  counters_.voluntary_switches = 0;
  counters_.involuntary_switches = 0;
  for (auto& [id, thread] : threads_) {
    if (const auto waited = number_at(thread.schedstat.read(), 1)) thread.run_queue_ns = *waited;
    const std::string_view status = thread.status.read();
    if (const auto count = number_after(status, "voluntary_ctxt_switches:")) {
      thread.voluntary = *count;
    }
    if (const auto count = number_after(status, "nonvoluntary_ctxt_switches:")) {
      thread.involuntary = *count;
    }
    *counters_.run_queue_ns += thread.run_queue_ns;
    *counters_.voluntary_switches += thread.voluntary;
    *counters_.involuntary_switches += thread.involuntary;
  }
  counters_.switches = *counters_.voluntary_switches + *counters_.involuntary_switches;
}

// The kernel's threads are the children of kthreadd, which is process 2 if they are visible. In a
// container process 2 is some other process, or does not exist.
KernelThreads::KernelThreads() {
  if (ProcFile("/proc/2/comm").read() == "kthreadd\n") {
    children_ = ProcFile("/proc/2/task/2/children");
  }
  read();
}

void KernelThreads::read() {
  const std::string list(children_.read());
  std::map<int, Thread> now;
  for (const char *at = list.data(), *const end = at + list.size(); at < end; ++at) {
    int pid = 0;
    at = std::from_chars(at, end, pid).ptr;
    const std::optional<std::uint64_t> cpu_ns = process_cpu_ns(pid);
    if (pid == 0 || !cpu_ns) continue;
    const auto known = threads_.find(pid);
    // A thread that is new used all of its time after the first read.
    std::uint64_t base_ns = first_ ? *cpu_ns : 0;
    if (known != threads_.end() && known->second.last_ns <= *cpu_ns) {
      base_ns = known->second.base_ns;
      threads_.erase(known);
    }
    now[pid] = {base_ns, *cpu_ns};
  }
  for (const auto& [pid, ended] : threads_) of_ended_ns_ += ended.last_ns - ended.base_ns;
  threads_ = std::move(now);
  first_ = false;
}

std::uint64_t KernelThreads::cpu_ns() const {
  std::uint64_t total_ns = of_ended_ns_;
  for (const auto& [pid, thread] : threads_) total_ns += thread.last_ns - thread.base_ns;
  return total_ns;
}

}  // namespace tailgate
