// The system calls used are documented at https://learn.microsoft.com/windows/win32/api/, under
// psapi.h and processthreadsapi.h.
#include "harness/os/api_windows.h"

// After windows.h, whose types it needs.
#include <psapi.h>

#include <memory>
#include <utility>

#include "harness/os/wine_windows.h"
#include "harness/overhead/counters.h"
#include "harness/overhead/sampler.h"

namespace tailgate {
namespace {

bool has_ended(HANDLE process) {
  return WaitForSingleObject(process, 0) == WAIT_OBJECT_0;
}

// Under Wine the calls below succeed but return zeros for what Wine does not count: all counters of
// other processes except memory, and the transfers, faults and cycles of every process. The sampler
// omits those under Wine.
bool under_wine() {
  static const bool wine = !wine_version().empty();
  return wine;
}

void read_memory(HANDLE process, Counters& counters) {
  PROCESS_MEMORY_COUNTERS_EX memory = {};
  if (GetProcessMemoryInfo(process, reinterpret_cast<PROCESS_MEMORY_COUNTERS*>(&memory),
                           sizeof memory) == 0) {
    return;
  }
  counters.rss_bytes = memory.WorkingSetSize;
  counters.peak_rss_bytes = memory.PeakWorkingSetSize;
  if (memory.PrivateUsage > 0) counters.private_bytes = memory.PrivateUsage;
  if (under_wine()) return;
  // Windows does not distinguish faults that read from storage.
  counters.minor_faults = memory.PageFaultCount;
  counters.major_faults = 0;
}

// Reads a process's counters since its start. The kernel updates the times at the timer interrupt,
// usually every 15.6 ms. An open handle keeps the counters readable after the process has ended.
Counters read_process(HANDLE process) {
  Counters counters;
  read_memory(process, counters);
  DWORD handles = 0;
  if (GetProcessHandleCount(process, &handles) != 0 && handles > 0) counters.descriptors = handles;
  if (under_wine() && GetProcessId(process) != GetCurrentProcessId()) return counters;
  FILETIME created;
  FILETIME exited;
  FILETIME kernel;
  FILETIME user;
  if (GetProcessTimes(process, &created, &exited, &kernel, &user) != 0) {
    counters.user_ns = ns_of(user);
    counters.system_ns = ns_of(kernel);
    counters.cpu_ns = ns_of(user) + ns_of(kernel);
  }
  if (under_wine()) return counters;
  ULONG64 cycles = 0;
  if (QueryProcessCycleTime(process, &cycles) != 0) counters.cycles = cycles;
  IO_COUNTERS io = {};
  if (GetProcessIoCounters(process, &io) != 0) {
    counters.read_bytes = io.ReadTransferCount;
    counters.written_bytes = io.WriteTransferCount;
  }
  return counters;
}

// Reads the times of all processors since the machine started. The kernel time of GetSystemTimes
// includes the idle time.
Counters read_machine() {
  Counters counters;
  FILETIME idle;
  FILETIME kernel;
  FILETIME user;
  if (GetSystemTimes(&idle, &kernel, &user) == 0) return counters;
  counters.user_ns = ns_of(user);
  counters.system_ns = ns_of(kernel) - ns_of(idle);
  counters.cpu_ns = *counters.user_ns + *counters.system_ns;
  return counters;
}

class WindowsSampler : public Sampler {
 public:
  WindowsSampler() {
    watch({Role::controller, "tailgate", static_cast<int>(GetCurrentProcessId())});
  }

  void watch(const WatchedProcess& process) override {
    constexpr DWORD kAccess = PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE;
    Watched watched;
    watched.role = process.role;
    watched.process = Handle(OpenProcess(kAccess, FALSE, static_cast<DWORD>(process.pid)));
    watched.ended = !watched.process || has_ended(watched.process.get());
    if (watched.process) watched.base = watched.last = read_process(watched.process.get());
    watched_.push_back(std::move(watched));
  }

  Sample sample() override {
    Sample sample;
    for (Watched& watched : watched_) {
      if (!watched.ended) {
        watched.last = read_process(watched.process.get());
        watched.ended = has_ended(watched.process.get());
      }
      Sample::OfRole& role = sample[watched.role];
      const Counters used = difference(watched.last, watched.base);
      role.counters = role.processes == 0 ? used : sum(role.counters, used);
      ++role.processes;
      role.ended += watched.ended ? 1 : 0;
    }
    sample[Role::machine].counters = read_machine();
    return sample;
  }

  std::vector<Counters::Count> daemons_cpu_ns() const override {
    std::vector<Counters::Count> all;
    for (const Watched& watched : watched_) {
      if (watched.role != Role::daemons) continue;
      const Counters used = difference(watched.last, watched.base);
      all.push_back(watched.ended ? std::nullopt : used.cpu_ns);
    }
    return all;
  }

  std::string limits() const override {
    if (under_wine()) return "Wine provides few counters of other processes";
    return "Windows provides neither context switches nor run-queue time of a process, and updates "
           "times only at the timer interrupt; the system process with the kernel's threads is in "
           "rest";
  }

 private:
  struct Watched {
    Role role = Role::rest;
    Handle process;
    Counters base;
    Counters last;
    bool ended = false;
  };

  std::vector<Watched> watched_;
};

}  // namespace

std::unique_ptr<Sampler> make_sampler(const std::filesystem::path&) {
  return std::make_unique<WindowsSampler>();
}

std::uint64_t thread_cpu_ns() {
  FILETIME created;
  FILETIME exited;
  FILETIME kernel;
  FILETIME user;
  if (GetThreadTimes(GetCurrentThread(), &created, &exited, &kernel, &user) == 0) return 0;
  return ns_of(kernel) + ns_of(user);
}

unsigned online_processors() {
  return static_cast<unsigned>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
}

}  // namespace tailgate
