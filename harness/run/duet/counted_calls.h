// The system calls of one side during its warm-up turns, in which counting may cost time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/overhead/system_call_counter.h"
#include "harness/result/duet.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

class CountedCalls {
 public:
  explicit CountedCalls(const TrialMemory& memory) : memory_(memory) {}

  // Counts from now on, between two turns, what provider and daemons call. Where this user may not
  // or the system cannot, there is no count, and why_not() says why.
  void begin(const std::vector<int>& pids);
  // Ends counting, between two turns; without begin() does nothing.
  void end();

  // Sets the fields if there is a count. What the harness called for itself is taken off.
  void report(DuetSide& side) const;
  const std::string& why_not() const { return why_not_; }

 private:
  struct Threads {
    std::uint64_t events = 0;
    std::uint64_t own_calls = 0;
  };
  // What the load threads have counted up to their last turn.
  Threads threads() const;

  const TrialMemory& memory_;
  std::optional<SystemCallCounter> counter_;
  Threads before_;
  std::optional<std::uint64_t> calls_;
  std::uint64_t events_ = 0;
  std::string why_not_;
};

}  // namespace tailgate
