#include "harness/os/process.h"

#include <algorithm>
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

PatientDeadline::PatientDeadline(std::chrono::milliseconds limit)
    : limit_(limit), end_(std::chrono::steady_clock::now() + limit) {}

bool PatientDeadline::passed() {
  const auto now = std::chrono::steady_clock::now();
  if (!interrupted_ && InterruptFlag::raised()) {
    interrupted_ = true;
    end_ = std::min<std::chrono::steady_clock::time_point>(end_, now + kPatienceOfUser);
  }
  return now > end_;
}

void PatientDeadline::extend() {
  if (!interrupted_) end_ = std::chrono::steady_clock::now() + limit_;
}

}  // namespace tailgate
