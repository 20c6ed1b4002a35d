// The part of the schema that says how a program that tailgate did not load was measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tailgate {

struct TimedCalls {
  std::string name;
  std::uint64_t calls = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &TimedCalls::name, "the function; of marks 'kind 0', 'kind 1' …");
    v("calls", &TimedCalls::calls, "calls that returned");
  }
};

struct ProgramUse {
  std::string means;
  std::string ended_by;
  std::string log;
  std::vector<TimedCalls> calls;
  std::uint64_t calls_with_due = 0;
  std::uint64_t inner_calls = 0;
  std::uint64_t calls_not_timed = 0;
  unsigned threads = 0;
  unsigned threads_not_timed = 0;
  unsigned processes = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("means", &ProgramUse::means,
      "how its calls were timed: mark (it marks them), preload (a preloaded library wraps the "
      "functions), audit (by the dynamic linker's audit interface), uprobe (by probes of the "
      "kernel's at entry and return) or none. The trial's floor is measured by the same means");
    v("ended_by", &ProgramUse::ended_by, "its exit code or signal");
    v("log", &ProgramUse::log, "file with what it printed on both outputs");
    v("calls", &ProgramUse::calls, "timed calls by function or kind");
    v("calls_with_due", &ProgramUse::calls_with_due,
      "calls that stated when they were due. The others count in the response times with their "
      "service times, as in a closed loop");
    v("inner_calls", &ProgramUse::inner_calls,
      "calls of these functions within a timed one of their thread, which are part of that");
    v("calls_not_timed", &ProgramUse::calls_not_timed,
      "calls of threads for which the memory had no room, and about how many the kernel's trace "
      "had "
      "none for (uprobe); they are in no distribution");
    v("threads", &ProgramUse::threads,
      "threads whose calls were timed; one that takes the place of an ended one is not counted");
    v("threads_not_timed", &ProgramUse::threads_not_timed, "threads without room");
    v("processes", &ProgramUse::processes,
      "processes that timed calls: the program, and those that it started");
  }
};

}  // namespace tailgate
