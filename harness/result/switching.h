// How the switches of a trial went that disabled and enabled its session under load.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/result/action.h"
#include "harness/result/durations.h"

namespace tailgate {

// How many commands the session sent to its provider, and how many the provider's process received.
struct SwitchCommands {
  std::uint64_t sent = 0;
  std::uint64_t arrived = 0;
  std::uint64_t with_arguments = 0;
  std::uint64_t filters_sent = 0;
  std::uint64_t filters_arrived = 0;
  std::uint64_t captures_sent = 0;
  std::uint64_t captures_arrived = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("sent", &SwitchCommands::sent,
      "enables and disables that the session sent, the one of its start included");
    v("arrived", &SwitchCommands::arrived, "of these, those of which the provider was told");
    v("with_arguments", &SwitchCommands::with_arguments,
      "of those that arrived, the ones with the level and the keywords that were sent");
    v("filters_sent", &SwitchCommands::filters_sent, "enables that had data for the provider");
    v("filters_arrived", &SwitchCommands::filters_arrived, "of these data, those that it got");
    v("captures_sent", &SwitchCommands::captures_sent, "requests for the provider's state");
    v("captures_arrived", &SwitchCommands::captures_arrived,
      "of these, those of which the provider was told");
  }
};

struct Switching {
  std::uint64_t switches = 0;
  std::uint64_t switch_p50_ns = 0;
  Latency at_switch;
  Latency elsewhere;
  std::optional<SwitchedEvents> events;
  std::optional<SwitchCommands> commands = {};

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
    v("commands", &Switching::commands,
      "what the provider was told of the switches; absent where the session sends it nothing, or "
      "what arrived is unknown");
  }
};

}  // namespace tailgate
