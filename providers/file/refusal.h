// The refusals that all modes of the file sink share, and the causes of their losses.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/sink/sink.h"

namespace tailgate::file {

inline constexpr EmitStatus kClosed = 1;
inline constexpr EmitStatus kFull = 2;
inline constexpr EmitStatus kNoSpace = 3;
inline constexpr EmitStatus kQuota = 4;
inline constexpr EmitStatus kTooBig = 5;
inline constexpr EmitStatus kInputOutput = 6;
inline constexpr EmitStatus kOther = 7;

// Names of the refusals, in that order.
std::vector<std::string> refusal_causes();

// The refusal for an errno; zero gives kAccepted.
EmitStatus refusal_of(int error_number);

// Counts, by cause, the events that were lost after they were accepted.
class LossCounts {
 public:
  void add(EmitStatus cause, std::uint64_t events) noexcept {
    counts_[cause].fetch_add(events, std::memory_order_relaxed);
  }
  // Returns only the causes that occurred.
  std::vector<Loss> losses() const;

 private:
  std::array<std::atomic<std::uint64_t>, kOther + 1> counts_{};
};

}  // namespace tailgate::file
