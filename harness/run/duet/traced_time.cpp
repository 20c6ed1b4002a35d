#include "harness/run/duet/traced_time.h"

#include <algorithm>

#include "harness/os/process.h"

namespace tailgate {

TracedTime::TracedTime(double max_s, unsigned max_rounds)
    : max_s_(max_s), max_rounds_(max_rounds) {}

bool TracedTime::goes_on() const {
  constexpr unsigned kMaxFailed = 2;
  if (InterruptFlag::raised() || failed_ >= kMaxFailed || rounds_ >= max_rounds_) return false;
  return rounds_ == 0 || passed_s() + longest_s_ <= max_s_;
}

unsigned TracedTime::begin_round() {
  round_began_s_ = passed_s();
  return rounds_++;
}

void TracedTime::end_round() {
  longest_s_ = std::max(longest_s_, passed_s() - round_began_s_);
}

double TracedTime::passed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

}  // namespace tailgate
