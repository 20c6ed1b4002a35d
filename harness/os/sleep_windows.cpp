#include <chrono>
#include <thread>

#include "harness/os/api_windows.h"
#include "harness/os/sleep.h"

namespace tailgate {
namespace {

// CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, which mingw-w64 10 does not define.
constexpr DWORD kHighResolution = 2;

}  // namespace

// Uses a high-resolution timer, available since Windows 10 version 1803. Sleep() and the C++
// library's sleeps end only at the system's timer interrupt, every 1 to 15.6 ms.
void sleep_for_ns(std::uint64_t ns) {
  thread_local const Handle timer(
      CreateWaitableTimerExW(nullptr, nullptr, kHighResolution, TIMER_ALL_ACCESS));
  LARGE_INTEGER due;
  due.QuadPart = -static_cast<LONGLONG>((ns + 99) / 100);  // negative: relative, in units of 100 ns
  if (!timer || SetWaitableTimer(timer.get(), &due, 0, nullptr, nullptr, FALSE) == 0) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
    return;
  }
  WaitForSingleObject(timer.get(), INFINITE);
}

// Such timers expire in steps of half a millisecond.
std::uint64_t oversleep_ns() {
  return 1'000'000;
}

}  // namespace tailgate
