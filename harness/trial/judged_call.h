// Judges a slow call by what happened to its thread.
#pragma once

#include <cstdint>

#include "harness/trial/trial_memory.h"

namespace tailgate {

// After a call longer than this the thread checks what happened to it during the call.
inline constexpr std::uint64_t kSlowCallNs = 20'000;

// A call longer than this is a stall.
inline constexpr std::uint64_t kStallNs = 1'000'000;

// What happened to a thread between two checks of its context switches and its processor time.
struct Since {
  CallKind kind;             // the kind of a call that took all of that time
  std::uint64_t away_ns;     // time in which the thread did not run
  std::uint64_t now_ns;      // the time after the check
  std::uint64_t checked_ns;  // the time of the check before
};

struct JudgedCall {
  CallKind kind = CallKind::unremarkable;
  std::uint16_t ran_us = 0;  // as in CallRecord
};

// Judges a call of service_ns that took all of the time since the last check, up to a little. It is
// stolen only where the thread did not run for more than a fifth of it, and the check before was
// recent: until then the hypervisor may have taken something from fast calls, which nobody checks.
// The time in which a stolen call ran is not kept, since it may be a wait for a processor that was
// taken as well (harness/run/duet/README.md). A call that ran for longer than a stall is the sink's
// own stall, whatever interrupted it.
JudgedCall judge_call(const Since& since, std::uint64_t service_ns);

}  // namespace tailgate
