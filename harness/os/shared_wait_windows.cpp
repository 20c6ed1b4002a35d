#include <algorithm>
#include <thread>

#include "harness/os/shared_wait.h"

namespace tailgate {

// WaitOnAddress, like std::atomic's wait, works only within one process. So this polls the word,
// and sleeps between polls to leave the processor to others: the longer the longer it has waited,
// since the idle processes of a duet wait while another is measured.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::chrono::nanoseconds at_most) {
  using Clock = std::chrono::steady_clock;
  constexpr Clock::duration kShortest = std::chrono::microseconds(500);
  constexpr Clock::duration kLongest = std::chrono::milliseconds(10);
  const auto began = Clock::now();
  const auto deadline = began + at_most;
  while (word.load(std::memory_order_acquire) == seen) {
    const auto now = Clock::now();
    if (now >= deadline) return;
    const Clock::duration interval = std::clamp((now - began) / 16, kShortest, kLongest);
    std::this_thread::sleep_for(std::min(interval, deadline - now));
  }
}

void wake_all(std::atomic<std::uint32_t>&) {}

}  // namespace tailgate
