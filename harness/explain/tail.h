// Sums up the time of slow calls by cause and by culprit.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/explain/call_cutter.h"
#include "harness/result/explanation.h"

namespace tailgate::activity {

class Tail {
 public:
  // usual_ns: subtracted from each call's time to get its excess.
  explicit Tail(std::uint64_t usual_ns) : usual_ns_(usual_ns) {}

  // Adds one slow call; its time before `from` does not count.
  void add(const std::vector<Slice>& slices, Ticks from);

  // Fills usual_ns, calls, the times, causes and culprits of `tail`.
  void report(ExplainedTail& tail) const;

 private:
  struct CulpritSum {
    std::map<std::uint32_t, std::uint64_t> time_by_thread;
    std::uint64_t calls = 0;
  };

  std::uint64_t usual_ns_;
  std::uint64_t calls_ = 0;
  std::array<std::uint64_t, kCauses> time_ns_{};
  std::array<std::uint64_t, kCauses> excess_ns_{};
  std::array<std::uint64_t, kCauses> calls_by_cause_{};
  std::map<std::pair<Cause, std::string>, CulpritSum> culprits_;
};

}  // namespace tailgate::activity
