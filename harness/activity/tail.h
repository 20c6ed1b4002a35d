// Sums up the slow end of a distribution by cause and by culprit.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/activity/call_cutter.h"
#include "harness/result/explanation.h"

namespace tailgate::activity {

class Tail {
 public:
  // usual_ns: taken off each call's time to get its excess.
  explicit Tail(std::uint64_t usual_ns) : usual_ns_(usual_ns) {}

  // One slow call; what lies before `from` does not count.
  void add(const std::vector<Slice>& slices, Ticks from);

  // Fills what follows from the calls: usual_ns, calls, times, causes and culprits.
  void report(ExplainedTail& tail) const;

 private:
  struct OfCulprit {
    std::map<std::uint32_t, std::uint64_t> time_by_thread;
    std::uint64_t calls = 0;
  };

  std::uint64_t usual_ns_;
  std::uint64_t calls_ = 0;
  std::array<std::uint64_t, kCauses> time_ns_{};
  std::array<std::uint64_t, kCauses> excess_ns_{};
  std::array<std::uint64_t, kCauses> calls_by_cause_{};
  std::map<std::pair<Cause, std::string>, OfCulprit> culprits_;
};

}  // namespace tailgate::activity
