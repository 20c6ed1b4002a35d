#include <chrono>
#include <thread>

#include "harness/base/api_windows.h"
#include "harness/base/sleep.h"

namespace tailgate {
namespace {

// CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, which mingw-w64 10 does not have.
constexpr DWORD kHighResolution = 2;

}  // namespace

// Timers of high resolution, which came with Windows 10 version 1803: Sleep() and the C++ library's
// sleeps end with the system's timer interrupt, every 1 to 15.6 ms.
void sleep_for_ns(std::uint64_t ns) {
  thread_local const Handle timer(
      CreateWaitableTimerExW(nullptr, nullptr, kHighResolution, TIMER_ALL_ACCESS));
  LARGE_INTEGER due;
  due.QuadPart = -static_cast<LONGLONG>((ns + 99) / 100);  // negative: from now on, in 100 ns
  if (!timer || SetWaitableTimer(timer.get(), &due, 0, nullptr, nullptr, FALSE) == 0) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
    return;
  }
  WaitForSingleObject(timer.get(), INFINITE);
}

// Such timers end at steps of half a millisecond.
std::uint64_t oversleep_ns() {
  return 1'000'000;
}

}  // namespace tailgate
