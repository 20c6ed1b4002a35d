#include <chrono>
#include <thread>

#include "harness/os/api_windows.h"
#include "harness/os/sleep.h"

namespace tailgate {
namespace {

// CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, which mingw-w64 10 does not define.
constexpr DWORD kHighResolution = 2;

// Returns the calling thread's timer; null where none could be made. Windows closes it when the
// thread ends, by the slot's callback. A thread_local with a destructor would do so, too, but with
// GCC for Windows its memory is freed before the destructor runs (GCC bug 80816): that closed other
// handles and wrote into memory that another thread had by then. One of three programs with two
// load threads each crashed in its heap in 7 of 15 runs under Wine, and in none of 24 since.
HANDLE timer_of_thread() {
  static const DWORD slot = FlsAlloc([](void* timer) { CloseHandle(timer); });
  if (slot == FLS_OUT_OF_INDEXES) return nullptr;
  if (HANDLE timer = FlsGetValue(slot)) return timer;
  HANDLE timer = CreateWaitableTimerExW(nullptr, nullptr, kHighResolution, TIMER_ALL_ACCESS);
  if (timer != nullptr && FlsSetValue(slot, timer) == 0) {
    CloseHandle(timer);
    return nullptr;
  }
  return timer;
}

}  // namespace

// Uses a high-resolution timer, available since Windows 10 version 1803. Sleep() and the C++
// library's sleeps end only at the system's timer interrupt, every 1 to 15.6 ms.
void sleep_for_ns(std::uint64_t ns) {
  HANDLE const timer = timer_of_thread();
  LARGE_INTEGER due;
  due.QuadPart = -static_cast<LONGLONG>((ns + 99) / 100);  // negative: relative, in units of 100 ns
  if (timer == nullptr || SetWaitableTimer(timer, &due, 0, nullptr, nullptr, FALSE) == 0) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
    return;
  }
  WaitForSingleObject(timer, INFINITE);
}

// Such timers expire in steps of half a millisecond.
std::uint64_t oversleep_ns() {
  return 1'000'000;
}

}  // namespace tailgate
