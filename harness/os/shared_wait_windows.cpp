#include <algorithm>
#include <thread>

#include "harness/os/shared_wait.h"

namespace tailgate {

// WaitOnAddress, like std::atomic's wait, works only within one process. So this polls the word,
// and sleeps between polls to leave the processor to others.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::chrono::nanoseconds at_most) {
  constexpr std::chrono::nanoseconds kPollInterval = std::chrono::microseconds(500);
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  while (word.load(std::memory_order_acquire) == seen &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::min(kPollInterval, at_most));
  }
}

void wake_all(std::atomic<std::uint32_t>&) {}

}  // namespace tailgate
