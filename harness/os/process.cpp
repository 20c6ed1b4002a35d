#include "harness/os/process.h"

#include <thread>

namespace tailgate {

std::optional<ChildEnd> Child::wait_for(std::chrono::nanoseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    if (std::optional<ChildEnd> end = poll()) return end;
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace tailgate
