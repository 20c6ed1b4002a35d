#include <algorithm>
#include <thread>

#include "harness/base/shared_wait.h"

namespace tailgate {

// WaitOnAddress, like std::atomic's wait, ends at the process; so this looks again and again, with
// sleeps that leave the processor to others.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::chrono::nanoseconds at_most) {
  constexpr std::chrono::nanoseconds kLook = std::chrono::microseconds(500);
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  while (word.load(std::memory_order_acquire) == seen &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::min(kLook, at_most));
  }
}

void wake_all(std::atomic<std::uint32_t>&) {}

}  // namespace tailgate
