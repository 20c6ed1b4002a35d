// In which functions of the kernel a call was, and when, where the trace recorded their entries.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/activity/timeline.h"
#include "harness/explain/call_cutter.h"
#include "harness/result/kernel_functions.h"

namespace tailgate::activity {

struct FunctionStay {
  Ticks begin = 0;
  Ticks end = 0;
  std::string_view name;  // of the timeline; empty: not known, or the kernel lost the record
  bool entered = false;   // at its begin; false: it goes on after a wait or an interrupt
};

// The stays of a call that runs from `start`, of which `slices` holds the causes: each slice in
// which the thread was in the kernel and on a processor, divided at its entries. Time before the
// call's first entry belongs to none. Empty where no function was recorded.
std::vector<FunctionStay> function_stays(const Timeline& timeline, std::uint32_t thread,
                                         const std::vector<Slice>& slices, Ticks start);

// The longest stays of one call, in order of time; nothing if there are none.
std::optional<CallFunctions> longest_stays(const std::vector<FunctionStay>& stays);

// Sums up the stays of slow calls by function.
class FunctionTimes {
 public:
  // Adds one slow call.
  void add(const std::vector<FunctionStay>& stays);

  // Nothing if no call had any.
  std::optional<TailFunctions> report() const;

 private:
  std::map<std::string, FunctionTime, std::less<>> functions_;
};

}  // namespace tailgate::activity
