// What others take from a thread: the time in which it could run and did not.
#pragma once

#include <cstdint>
#include <optional>

namespace tailgate {

struct ThreadTimes {
  std::uint64_t ran_ns;
  std::uint64_t waited_ns;  // it was ready to run, and another thread had its processor
};

// Both since the thread began. Nothing if it has ended, or where the system does not count this.
// (taken_time_linux.cpp, taken_time_windows.cpp)
std::optional<ThreadTimes> thread_times(int pid, std::uint32_t thread);

// What the hypervisor has taken from one processor while somebody wanted to run on it, since the
// machine started, in steps of 10 ms. Nothing where the system does not count this.
// (taken_time_linux.cpp, taken_time_windows.cpp)
std::optional<std::uint64_t> stolen_ns(int cpu);

// Whether the processor time of threads is known to leave out what the hypervisor takes, and
// nothing else of the time in which they are on a processor. So it is where the machine has a
// hypervisor that says what it takes, and a kernel that does not count interrupts apart: those may
// be a call's own doing. (taken_time_linux.cpp, taken_time_windows.cpp)
bool thread_time_leaves_out_stolen_alone();

}  // namespace tailgate
