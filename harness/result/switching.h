// How the switches of a trial went that disabled and enabled its session under load.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/result/action.h"
#include "harness/result/durations.h"

namespace tailgate {

struct Switching {
  std::uint64_t switches = 0;
  std::uint64_t switch_p50_ns = 0;
  Latency at_switch;
  Latency elsewhere;
  std::optional<SwitchedEvents> events;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("switches", &Switching::switches, "switches that the session carried out");
    v("switch_p50_ns", &Switching::switch_p50_ns,
      "median of the time until the session's own call returned (duration)");
    v("at_switch", &Switching::at_switch,
      "service times of the calls that returned during a switch, and of each thread's next one");
    v("elsewhere", &Switching::elsewhere, "service times of all other calls");
    v("events", &Switching::events,
      "what became of the events around the switches; absent if they were not read back");
  }
};

}  // namespace tailgate
