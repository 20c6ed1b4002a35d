#include "harness/overhead/machine_counters_linux.h"

#include <time.h>
#include <unistd.h>

namespace tailgate {
namespace {

std::uint64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// Columns of /proc/stat's first line after "cpu", all processors together.
enum Column { user, nice, system, idle, iowait, irq, softirq, steal };

// A column's time in nanoseconds; 0 if this kernel does not have the column.
std::uint64_t column_ns(std::string_view stat, Column column) {
  static const auto ticks_hz = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  return number_at(stat, static_cast<std::size_t>(column) + 1).value_or(0) *
         (1'000'000'000 / ticks_hz);
}

std::uint64_t idle_ns(std::string_view stat) {
  return column_ns(stat, idle) + column_ns(stat, iowait);
}

}  // namespace

MachineCounters::MachineCounters(unsigned processors)
    : stat_("/proc/stat"),
      vmstat_("/proc/vmstat"),
      cpu_pressure_("/proc/pressure/cpu"),
      memory_pressure_("/proc/pressure/memory"),
      io_pressure_("/proc/pressure/io"),
      processors_(processors),
      start_ns_(monotonic_ns()),
      start_idle_ns_(idle_ns(stat_.read())) {}

Counters MachineCounters::read() const {
  Counters counters;
  const std::uint64_t now_ns = monotonic_ns();
  const std::string_view stat = stat_.read();
  // The kernel measures idle time with the clock, but samples busy time at timer ticks, which miss
  // a task that runs between two ticks. So busy time is computed as the time that was not idle.
  const std::uint64_t there_ns = (now_ns - start_ns_) * processors_;
  const std::uint64_t idled_ns = idle_ns(stat) - start_idle_ns_;
  counters.cpu_ns = there_ns > idled_ns ? there_ns - idled_ns : 0;
  counters.user_ns = column_ns(stat, user) + column_ns(stat, nice);
  counters.system_ns = column_ns(stat, system) + column_ns(stat, irq) + column_ns(stat, softirq);
  counters.stolen_ns = column_ns(stat, steal);
  counters.interrupts = number_after(stat, "intr");
  counters.softirqs = number_after(stat, "softirq");
  counters.switches = number_after(stat, "ctxt");

  const std::string_view vmstat = vmstat_.read();
  const auto faults = number_after(vmstat, "pgfault");
  counters.major_faults = number_after(vmstat, "pgmajfault");
  if (faults && counters.major_faults) counters.minor_faults = *faults - *counters.major_faults;
  constexpr std::uint64_t kKibibyte = 1024;
  if (const auto in = number_after(vmstat, "pgpgin")) counters.storage_read_bytes = *in * kKibibyte;
  if (const auto out = number_after(vmstat, "pgpgout")) {
    counters.storage_written_bytes = *out * kKibibyte;
  }
  counters.cpu_stall_ns = some_stall_ns(cpu_pressure_.read());
  counters.memory_stall_ns = some_stall_ns(memory_pressure_.read());
  counters.io_stall_ns = some_stall_ns(io_pressure_.read());
  return counters;
}

}  // namespace tailgate
