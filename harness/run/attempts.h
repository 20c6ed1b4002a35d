// Runs a step again that missed its rate by the machine's fault, and keeps the better attempt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// How often a step is run at most.
inline constexpr std::size_t kMostAttempts = 3;

// The attempts at the current step of a run, which is the last one of its result.
class StepAttempts {
 public:
  // All trials of an attempt have run, and the result's summary counts them. Returns whether the
  // step is to be run again: it is saturated by the machine and by nothing else wrong, and may have
  // another attempt. Its trials are then in result.set_aside, and their control and traced trials
  // are no longer in the result.
  bool run_again(Result& result, unsigned step);

  // The step is over. Where it had several attempts, leaves the best of them in the result and the
  // others in set_aside, and adds a remark; the summary has then to be made anew. all_ran: the last
  // attempt is whole; one that is not is worse than any other. One with a trial that did not
  // complete, or whose events are not all accounted for, is kept, so that nobody overlooks it.
  void end(Result& result, unsigned step, bool all_ran);

  // Of the attempt that runs, from 1.
  std::size_t number() const { return earlier_.size() + 1; }

  // Who took the processor from the load of the earlier attempts: "cc1plus", or "others".
  std::string takers() const;

 private:
  // The trials of an attempt, and what the summary says of them.
  struct Attempt {
    std::vector<Trial> trials;
    std::vector<Trial> controls;
    std::vector<Trial> traced;
    StepSummary summary;
    bool all_ran = true;

    std::uint64_t lost() const;
  };

  static Attempt taken_from(Result& result, unsigned step);
  static bool is_worse(const Attempt& a, const Attempt& b);
  static Remark remark_on(const std::vector<Attempt>& attempts, std::size_t kept,
                          const std::string& takers);

  std::vector<Attempt> earlier_;
};

}  // namespace tailgate
