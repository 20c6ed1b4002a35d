// Made-up records of a load thread, for tests of CallCutter.
#pragma once

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "harness/explain/call_cutter.h"

namespace tailgate::activity {

inline constexpr std::int64_t kHz = 1'000'000'000;
inline constexpr std::uint32_t kLoad = 7;
inline constexpr std::uint32_t kOther = 12;
inline constexpr std::uint32_t kThird = 13;
inline constexpr Coverage kAll{0, 10'000'000, true};

// Slices as "cause:name:length", separated by blanks; checks that they cover the call.
inline std::string text_of(const std::vector<Slice>& slices, const CallTimes& call) {
  std::string text;
  Ticks at = call.intended;
  for (const Slice& slice : slices) {
    CHECK(slice.begin == at);
    at = slice.end;
    text += (text.empty() ? "" : " ") + std::string(cause_name(slice.cause)) + ":" + slice.name +
            ":" + std::to_string(slice.end - slice.begin);
  }
  CHECK(at == call.end);
  return text;
}

// A timeline on which the load thread runs on processor 0 from time 0.
class Story {
 public:
  Story() {
    timeline_.keep_intervals();
    timeline_.watch(kLoad);
    timeline_.add(ThreadFact{0, kLoad, kUnknown, "load", true});
    timeline_.add(ThreadFact{0, kOther, kUnknown, "other", true});
    timeline_.add(ThreadFact{0, kThird, kUnknown, "third", true});
    timeline_.add(SystemCallFact{1, "write", WaitsFor::socket});
    timeline_.add(SystemCallFact{2, "futex", WaitsFor::lock});
    timeline_.add(SystemCallFact{3, "fsync", WaitsFor::storage});
    timeline_.add(SystemCallFact{4, "nanosleep", WaitsFor::sleep});
    switches(0, 0, kLoad);
  }

  void switches(Ticks time, std::uint32_t from, std::uint32_t to) {
    timeline_.add(ContextSwitch{.time = time, .old_thread = from, .new_thread = to});
  }
  void preempts(Ticks time, std::uint32_t from, std::uint32_t to) {
    timeline_.add(ContextSwitch{
        .time = time, .old_thread = from, .new_thread = to, .old_was_preempted = true});
  }
  void waits(Ticks time, Wait wait, WaitsFor waits_for = WaitsFor::unknown) {
    timeline_.add(ContextSwitch{
        .time = time, .old_thread = kLoad, .old_wait = wait, .old_waits_for = waits_for});
  }
  // Thread `waker` on another processor wakes the load thread.
  void wakes(Ticks time, std::uint32_t waker, bool by_interrupt = false) {
    timeline_.add(ContextSwitch{.time = time, .processor = 1, .new_thread = waker});
    timeline_.add(ThreadReady{time, 1, kLoad, by_interrupt});
    timeline_.add(ContextSwitch{.time = time, .processor = 1, .old_thread = waker});
  }
  void enters(Ticks time, std::uint32_t call) {
    timeline_.add(SystemCall{time, 0, kLoad, call, true});
  }
  void leaves(Ticks time, std::uint32_t call) {
    timeline_.add(SystemCall{time, 0, kLoad, call, false});
  }
  // The load thread passes a point that fact() described.
  void passes(Ticks time, std::uint32_t point) { timeline_.add(KernelPoint{time, kLoad, point}); }
  void fact(std::uint32_t point, const char* name, Cause cause,
            PointMarks marks = PointMarks::step) {
    timeline_.add(KernelPointFact{point, name, cause, marks});
  }
  Timeline& timeline() { return timeline_; }

  CallCutter cutter(const Coverage& coverage) {
    if (!finished_) timeline_.finish(coverage.end);
    finished_ = true;
    return CallCutter(timeline_, coverage);
  }

  std::string cut(const CallTimes& call, const Coverage& coverage = kAll) {
    return text_of(cutter(coverage).cut(call), call);
  }
  std::string cut(Ticks begin, Ticks end, const Coverage& coverage = kAll) {
    return cut({.thread = kLoad, .intended = begin, .start = begin, .end = end}, coverage);
  }

 private:
  Timeline timeline_{kHz, 0};
  bool finished_ = false;
};

}  // namespace tailgate::activity
