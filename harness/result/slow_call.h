// The part of the schema that holds the slowest calls of a trial. harness/result/result.h says how
// these structs become files.
#pragma once

#include <cstdint>

namespace tailgate {

// One of the slowest calls of a trial.
struct SlowCall {
  unsigned thread = 0;
  std::uint64_t sequence = 0;
  std::uint64_t intended_ns = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  int cpu = -1;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("thread", &SlowCall::thread, "load thread");
    v("sequence", &SlowCall::sequence, "the event's number in that thread");
    v("intended_ns", &SlowCall::intended_ns, "when the schedule wanted the call to start");
    v("start_ns", &SlowCall::start_ns, "when it started");
    v("end_ns", &SlowCall::end_ns, "when it returned");
    v("cpu", &SlowCall::cpu, "processor on which it returned; -1 if unknown");
  }
};

}  // namespace tailgate
