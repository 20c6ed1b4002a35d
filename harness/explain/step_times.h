// How long a thread's steps in the kernel usually take.
//
// A step is the time from one record of the thread in the kernel to its next one. Steps are of one
// kind if the same system call and the same record begin them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "harness/activity/timeline.h"

namespace tailgate::activity {

struct StepTime {
  // The median; where many such steps are known and not nearly all are shorter than a gap, what
  // nearly all take at most. 0 if too few are known.
  Ticks usual = 0;
  bool is_short = false;  // nearly all of many such steps are shorter than a gap
};

class StepTimes {
 public:
  // thread: watched by the timeline. longest: a step that is not longer is short. Steps in which
  // the thread was switched out or interrupted do not count, nor those in which a tick of the
  // machine may have begun, if enough others are left.
  StepTimes(const Timeline& timeline, std::uint32_t thread, Ticks longest);

  // Of the steps that a mark of that kind begins.
  StepTime after(const ThreadMark& mark) const;

 private:
  using Kind = std::pair<std::uint32_t, std::uint32_t>;  // system call, point

  static bool begins_step(const ThreadMark& mark);
  static Kind kind_of(const ThreadMark& mark);

  std::map<Kind, StepTime> times_;
};

}  // namespace tailgate::activity
