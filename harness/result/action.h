// What a scenario does to the processes of a trial while its load runs, and what became of the
// events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/base/enum_text.h"

namespace tailgate {

enum class ActionKind {
  kill,    // end it at once (SIGKILL)
  stop,    // let it run no further (SIGSTOP)
  resume,  // let it run again (SIGCONT)
};
template <>
inline constexpr auto kEnumTexts<ActionKind> = enum_texts<ActionKind>(
    {{ActionKind::kill, "kill"}, {ActionKind::stop, "stop"}, {ActionKind::resume, "continue"}});

enum class ActionTarget {
  program,  // the provider process
  daemon,   // all processes that work for the session
  both,
};
template <>
inline constexpr auto kEnumTexts<ActionTarget> =
    enum_texts<ActionTarget>({{ActionTarget::program, "program"},
                              {ActionTarget::daemon, "daemon"},
                              {ActionTarget::both, "both"}});

// An action as planned. It begins at a time or at an event.
struct TrialAction {
  ActionKind what = ActionKind::kill;
  ActionTarget who = ActionTarget::program;
  std::optional<double> at_s = {};             // after recording starts
  std::optional<std::uint64_t> at_event = {};  // as soon as so many calls have returned
  double spread_s = 0;  // of at_s: each trial draws its time evenly from so many seconds more
  double for_s = 0;     // stop only: continue after so long; 0: do not
  double every_s = 0;   // of at_s: again after so long, until the load ends; 0: once

  bool operator==(const TrialAction&) const = default;
};

// An action on one process, as carried out.
struct ActionDone {
  ActionKind what = ActionKind::kill;
  ActionTarget who = ActionTarget::program;
  std::string process;
  std::uint64_t at_ns = 0;
  std::uint64_t event = 0;
  std::string refused;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("what", &ActionDone::what, "kill, stop or continue");
    v("who", &ActionDone::who,
      "program (the provider) or daemon (a process of the session); both, if it was refused before "
      "a process was chosen");
    v("process", &ActionDone::process, "the process's name; empty if there was none");
    v("at_ns", &ActionDone::at_ns, "when, on the run clock");
    v("event", &ActionDone::event, "calls that had returned by then, of all threads");
    v("refused", &ActionDone::refused, "why it could not be done; empty if it was done");
  }
};

// What a killed process took with it, of the events that calls had accepted.
struct Survival {
  std::uint64_t accepted = 0;
  std::uint64_t gone = 0;
  std::uint64_t gone_last = 0;
  std::uint64_t gone_ns = 0;
  std::uint64_t accepted_after = 0;
  std::uint64_t gone_after = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("accepted", &Survival::accepted,
      "events accepted before the first kill; if it killed the program, all that it accepted");
    v("gone", &Survival::gone, "of these, events that were not read back");
    v("gone_last", &Survival::gone_last,
      "of the gone, those that their thread emitted after its youngest event that was read back; "
      "the others have survivors on both sides");
    v("gone_ns", &Survival::gone_ns,
      "from the call of the youngest event that was read back (of none: from the load's start) to "
      "the return of the last call before the kill; 0 if gone_last is 0 (duration)");
    v("accepted_after", &Survival::accepted_after,
      "events that the program accepted after a kill that it survived");
    v("gone_after", &Survival::gone_after, "of these, events that were not read back");
  }
};

}  // namespace tailgate
