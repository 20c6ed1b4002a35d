// What a scenario does to the processes of a trial, or to its session, while its load runs, and
// what became of the events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/base/enum_text.h"
#include "harness/base/switch_way.h"

namespace tailgate {

enum class ActionKind {
  kill,     // end it at once (SIGKILL)
  stop,     // let it run no further (SIGSTOP)
  resume,   // let it run again (SIGCONT)
  disable,  // the session, or a rival's, listens no more to the provider
  enable,   // it listens again
  rotate,   // the session begins new files
  fill,     // fill the disk that is the session's own
  free,     // and make room again
  start,    // a further one of its kind: a provider or consumer process, a rival's session
  end,      // of these, the one that was started first ends its work
};
template <>
inline constexpr auto kEnumTexts<ActionKind> =
    enum_texts<ActionKind>({{ActionKind::kill, "kill"},
                            {ActionKind::stop, "stop"},
                            {ActionKind::resume, "continue"},
                            {ActionKind::disable, "disable"},
                            {ActionKind::enable, "enable"},
                            {ActionKind::rotate, "rotate"},
                            {ActionKind::fill, "fill"},
                            {ActionKind::free, "free"},
                            {ActionKind::start, "start"},
                            {ActionKind::end, "end"}});

// Whether it switches a session off or on.
constexpr bool is_switch(ActionKind what) {
  return what == ActionKind::disable || what == ActionKind::enable;
}

// Whether it is done to the session, and not to processes.
constexpr bool is_of_session(ActionKind what) {
  return is_switch(what) || what == ActionKind::rotate || what == ActionKind::fill ||
         what == ActionKind::free;
}

// Whether it starts or ends something beside the trial's own processes and session.
constexpr bool is_of_further(ActionKind what) {
  return what == ActionKind::start || what == ActionKind::end;
}

// What ends it after for_s seconds; itself: nothing does.
constexpr ActionKind end_of(ActionKind what) {
  switch (what) {
    case ActionKind::stop:
      return ActionKind::resume;
    case ActionKind::disable:
      return ActionKind::enable;
    case ActionKind::fill:
      return ActionKind::free;
    case ActionKind::start:
      return ActionKind::end;
    default:
      return what;
  }
}

enum class ActionTarget {
  program,  // the provider process
  daemon,   // all processes that work for the session
  both,
  session,   // disable, enable, rotate, fill and free only
  rival,     // the second session of the same provider, by a controller of its own: disable and
             // enable one that is there from the beginning; start and end one
  consumer,  // the process that reads the events back
};
template <>
inline constexpr auto kEnumTexts<ActionTarget> =
    enum_texts<ActionTarget>({{ActionTarget::program, "program"},
                              {ActionTarget::daemon, "daemon"},
                              {ActionTarget::both, "both"},
                              {ActionTarget::session, "session"},
                              {ActionTarget::rival, "rival"},
                              {ActionTarget::consumer, "consumer"}});

// An action as planned. It begins at a time or at an event.
struct TrialAction {
  ActionKind what = ActionKind::kill;
  ActionTarget who = ActionTarget::program;
  std::optional<double> at_s = {};  // after recording starts; below 0: within the warm-up
  std::optional<std::uint64_t> at_event = {};  // as soon as so many calls have returned
  double spread_s = 0;  // of at_s: each trial draws its time evenly from so many seconds more
  double for_s = 0;     // stop, disable, fill, start: continue, enable, free, end after so long
  double every_s = 0;   // of at_s: again after so long, until the load ends; 0: once
  SwitchWay by = SwitchWay::session;  // disable and enable only

  bool operator==(const TrialAction&) const = default;
};

// An action on one process or on the session, as carried out.
struct ActionDone {
  ActionKind what = ActionKind::kill;
  ActionTarget who = ActionTarget::program;
  std::string process;
  std::uint64_t at_ns = 0;
  std::uint64_t event = 0;
  std::string refused;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("what", &ActionDone::what,
      "kill, stop, continue, disable, enable, rotate, fill, free, start or end");
    v("who", &ActionDone::who,
      "program (the provider), daemon (a process of the session), consumer, session, or rival (the "
      "second session of the same provider); both, if it was refused before a process was chosen");
    v("process", &ActionDone::process,
      "the process's name; empty if there was none, and of sessions");
    v("at_ns", &ActionDone::at_ns, "when, on the run clock");
    v("event", &ActionDone::event, "calls that had returned by then, of all threads");
    v("refused", &ActionDone::refused, "why it could not be done; empty if it was done");
  }
};

// What became of the events of a provider process, of what a consumer process read, or of a rival's
// session, which the scenario started during the load.
struct FurtherUse {
  ActionTarget who = ActionTarget::program;
  std::uint64_t from_ns = 0;
  std::optional<std::uint64_t> ready_ns;
  std::uint64_t to_ns = 0;
  std::uint64_t due = 0;
  std::uint64_t delivered = 0;
  std::uint64_t missing = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t corrupted = 0;
  bool checked = false;
  std::string unchecked_cause;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("who", &FurtherUse::who, "program (a provider process), consumer or rival (a session)");
    v("from_ns", &FurtherUse::from_ns, "when it had been started, on the run clock");
    v("ready_ns", &FurtherUse::ready_ns,
      "consumer: when its process had opened the path and began to read; absent if it never did, "
      "and of the others");
    v("to_ns", &FurtherUse::to_ns, "when it was told to end; of the load's end, if it was not");
    v("due", &FurtherUse::due,
      "events that it should have: program: those that its calls accepted; consumer: from the "
      "first to the last one that it read, of each thread; rival: of the calls that began after "
      "its start and had returned before its end");
    v("delivered", &FurtherUse::delivered, "distinct and intact events that were read of it");
    v("missing", &FurtherUse::missing,
      "of those due, the ones that were not read; those of a program are also in the ledger, as "
      "lost or unaccounted");
    v("duplicates", &FurtherUse::duplicates, "events read once more; of a program in the ledger");
    v("corrupted", &FurtherUse::corrupted,
      "events with a wrong checksum or length; of a program in the ledger");
    v("checked", &FurtherUse::checked, "whether its events were read to the end");
    v("unchecked_cause", &FurtherUse::unchecked_cause, "why not; empty if they were");
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

// What became of the events around the switches of a trial that disabled and enabled its session.
// A call that neither ended before a switch nor began after it had returned is in doubt.
struct SwitchedEvents {
  std::uint64_t off = 0;
  std::uint64_t in_doubt = 0;
  std::uint64_t missed = 0;
  std::uint64_t missed_most = 0;
  std::uint64_t missed_ns = 0;
  std::uint64_t leaked = 0;
  std::uint64_t leaked_most = 0;
  std::uint64_t leaked_ns = 0;
  std::uint64_t lost_between = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("off", &SwitchedEvents::off, "calls made while the session was disabled");
    v("in_doubt", &SwitchedEvents::in_doubt, "calls made in a switch, or running when it began");
    v("missed", &SwitchedEvents::missed,
      "events of calls that began after an enable had returned, and of which none was recorded up "
      "to their thread's first event that was");
    v("missed_most", &SwitchedEvents::missed_most, "the most of these after one enable");
    v("missed_ns", &SwitchedEvents::missed_ns,
      "the longest time from an enable's return to the call of a thread's first event that was "
      "recorded, or to the next switch; 0 if none was missed (duration)");
    v("leaked", &SwitchedEvents::leaked,
      "events of calls that began after a disable had returned, and were recorded");
    v("leaked_most", &SwitchedEvents::leaked_most, "the most of these after one disable");
    v("leaked_ns", &SwitchedEvents::leaked_ns,
      "the longest time from a disable's return to the call of the last event recorded after it; 0 "
      "if none was (duration)");
    v("lost_between", &SwitchedEvents::lost_between,
      "events that were not read back although the session was enabled and had begun to record; "
      "those are also in the ledger, as lost or unaccounted");
  }
};

}  // namespace tailgate
