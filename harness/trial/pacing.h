// Waits for an intended time.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <thread>

#include "harness/os/clock.h"
#include "harness/os/sleep.h"
#include "harness/trial/load.h"

namespace tailgate {

// Tells the processor that this is a spin loop, which saves power and helps the other hyper-thread.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(_M_X64)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

class Pacer {
 public:
  Pacer(Pacing pacing, const Clock& clock, const std::atomic<std::uint32_t>& stop)
      : clock_(clock), stop_(stop) {
    switch (pacing) {
      case Pacing::spin:
        break;
      case Pacing::hybrid:
        wake_early_ns_ = oversleep_ns();
        break;
      case Pacing::sleep:
        wake_early_ns_ = 0;
        break;
    }
  }

  // Waits until intended_ns and returns the last time read. Returns at once if intended_ns has
  // passed, and early if stop is set.
  std::uint64_t wait_until(std::uint64_t intended_ns) {
    return wait_until(intended_ns, 0, [](std::uint64_t, std::uint64_t now_ns) { return now_ns; });
  }

  // The same, but calls stepped(previous_ns, now_ns) after every clock read; the first time
  // previous_ns is the caller's last read. stepped returns the time at which it ends: now_ns if it
  // did nothing.
  template <class Stepped>
  [[gnu::always_inline]] std::uint64_t wait_until(std::uint64_t intended_ns,
                                                  std::uint64_t last_read_ns, Stepped stepped) {
    std::uint64_t now_ns = stepped(last_read_ns, clock_.now_ns());
    spun_ns_ -= now_ns;
    while (now_ns < intended_ns && stop_.load(std::memory_order_relaxed) == 0) {
      const std::uint64_t left_ns = intended_ns - now_ns;
      const std::uint64_t before_ns = now_ns;
      slept_ = left_ns > wake_early_ns_;
      if (slept_) [[unlikely]] {
        ++sleeps_;
        sleep_ns(left_ns - wake_early_ns_);
        now_ns = clock_.now_ns();
        spun_ns_ -= now_ns - before_ns;
      } else {
        spin_pause();
        now_ns = clock_.now_ns();
      }
      now_ns = stepped(before_ns, now_ns);
    }
    spun_ns_ += now_ns;
    return now_ns;
  }

  // Whether the last step of the wait was a sleep.
  bool slept() const { return slept_; }

  // Number of sleeps so far; each is a system call.
  std::uint64_t sleeps() const { return sleeps_; }

  // Total time spent spinning so far.
  std::uint64_t spun_ns() const { return spun_ns_; }

 private:
  // Longest single sleep, so that stop is noticed soon.
  static constexpr std::uint64_t kLongestSleepNs = 50'000'000;

  static void sleep_ns(std::uint64_t ns) {
    sleep_for_ns(ns < kLongestSleepNs ? ns : kLongestSleepNs);
  }

  const Clock clock_;
  const std::atomic<std::uint32_t>& stop_;
  std::uint64_t spun_ns_ = 0;
  std::uint64_t sleeps_ = 0;
  bool slept_ = false;
  std::uint64_t wake_early_ns_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace tailgate
