// The part of the schema that says which functions of the kernel slow calls were in, by a record of
// each one that they entered. harness/result/result.h says how these structs become files, and
// harness/explain/README.md how the functions are recorded.
//
// A function's time is that from its entry to the thread's next one, as long as the thread is in
// the kernel and on a processor. Returns are not recorded: it holds what the caller does after the
// function's return, too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tailgate {

// A stretch of a call's time in one function.
struct FunctionStep {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::string name;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("start_ns", &FunctionStep::start_ns, "when the call entered it, or went on after a wait");
    v("end_ns", &FunctionStep::end_ns,
      "when it entered the next one, gave up the processor or left the kernel");
    v("name", &FunctionStep::name,
      "the function, with its module's name in brackets unless it is the kernel's own; empty where "
      "the kernel lost the record of it");
  }
};

struct CallFunctions {
  std::vector<FunctionStep> steps;
  std::uint64_t steps_left_out = 0;
  std::uint64_t left_out_ns = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("steps", &CallFunctions::steps, "in order of time, at most 256");
    v("steps_left_out", &CallFunctions::steps_left_out,
      "number of the shortest ones, which are not listed if there are more");
    v("left_out_ns", &CallFunctions::left_out_ns, "their time (duration)");
  }
};

// A function's time in a tail.
struct FunctionTime {
  std::string name;
  std::uint64_t time_ns = 0;
  std::uint64_t calls = 0;
  std::uint64_t entries = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &FunctionTime::name, "as in FunctionStep");
    v("time_ns", &FunctionTime::time_ns, "its time in all slow calls together (duration)");
    v("calls", &FunctionTime::calls, "slow calls that were in it");
    v("entries", &FunctionTime::entries, "how often these calls entered it");
  }
};

struct TailFunctions {
  std::vector<FunctionTime> functions;
  std::uint64_t left_out_ns = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("functions", &TailFunctions::functions, "longest time first, at most 50");
    v("left_out_ns", &TailFunctions::left_out_ns, "time in those that are not listed (duration)");
  }
};

}  // namespace tailgate
