#include <chrono>
#include <thread>

#include "harness/os/sleep.h"

namespace tailgate {

void sleep_for_ns(std::uint64_t ns) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
}

// About 50 us with minimum timer slack (prepare_child_process), sometimes 100 us; 200 us to be
// safe.
std::uint64_t oversleep_ns() {
  return 200'000;
}

}  // namespace tailgate
