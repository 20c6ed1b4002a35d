#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <limits>

#include "harness/os/shared_wait.h"

namespace tailgate {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// futex(2) without the private flag works for all processes that map the word.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::chrono::nanoseconds at_most) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at_most);
  const timespec limit = {static_cast<time_t>(seconds.count()),
                          static_cast<long>((at_most - seconds).count())};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

}  // namespace tailgate
