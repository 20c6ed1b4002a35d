// Cuts a call's time, and its lag before the start, into slices that have one cause each.
//
// The slices are disjoint and leave nothing out: their lengths add up to the measured time.
// harness/explain/README.md says how each cause follows from the records.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/activity/cause.h"
#include "harness/activity/timeline.h"
#include "harness/explain/step_times.h"

namespace tailgate::activity {

// Time on the processor without any record counts as a gap if it exceeds the usual time by more
// than this. The idle spin loop counts gaps above the same length (Noise in
// harness/result/result.h).
inline constexpr Ticks kShortestGapNs = 10'000;
// The end of a page fault is not recorded. A fault is taken to end at the thread's next record, or
// after this much time on the processor.
inline constexpr Ticks kMaxFaultNs = 100'000;

struct Slice {
  Ticks begin = 0;
  Ticks end = 0;
  Cause cause = Cause::running;
  std::string name;
  std::uint32_t thread = 0;  // the thread that `name` names; 0: none
  std::string detail;
  // For the cutter: the cause of what exceeds the usual length by more than a gap, if that has
  // another cause than the rest, and that length. `running` and `system_call` share
  // CallTimes::usual; of a `system_call` the longer of both counts.
  std::optional<Cause> gap = std::nullopt;
  Ticks usual = 0;
};

inline Slice slice_of(Ticks begin, Ticks end, Cause cause) {
  Slice slice;
  slice.begin = begin;
  slice.end = end;
  slice.cause = cause;
  return slice;
}

// The times of one call, in nanoseconds, like the timeline's ticks.
struct CallTimes {
  std::uint32_t thread = 0;  // the system's id of it
  int processor = -1;        // where the call returned; -1: unknown
  Ticks intended = 0;        // not after start
  Ticks start = 0;
  Ticks end = 0;
  Ticks usual = 0;     // processor time that such a call usually takes
  Ticks catch_up = 0;  // the same for the earlier events that may have delayed it
};

// What the trace covers.
struct Coverage {
  Ticks begin = 0;
  Ticks end = 0;
  bool system_calls = false;  // whether those of the watched threads are traced
};

class CallCutter {
 public:
  // timeline: finished, in nanoseconds, watches the load's threads and keeps intervals; it must
  // outlive the cutter. Throws Error if its ticks are not nanoseconds.
  CallCutter(const Timeline& timeline, const Coverage& coverage);

  // Returns the slices from call.intended to call.end in order of time. Adjacent slices that differ
  // only in time are merged. Time that a call shares with the previous one is cut only once (the
  // calls of a backlog share most of their lag), so cutting a thread's calls in order of time is
  // fastest.
  std::vector<Slice> cut(const CallTimes& call);

 private:
  // A part of a call that lies in one stretch of the thread's history.
  struct Piece {
    const ThreadHistory* history;
    std::size_t stretch;
    Ticks begin;
    Ticks end;
  };
  using Slices = std::vector<Slice>;

  enum class Part { before_start, from_start };

  void extend_kept(const CallTimes& call);
  Slices cut_thread(std::uint32_t thread, Ticks begin, Ticks end) const;
  void cut_running(const Piece& piece, Slices& slices) const;
  void cut_ready(const Piece& piece, Slices& slices) const;
  Slice cut_blocked(const Piece& piece) const;
  WaitsFor waits_at(const ThreadMark& mark) const;
  std::string call_name(const ThreadMark& mark) const;
  bool blocked_by_storage(const Piece& piece, Slice& slice) const;
  std::uint32_t owner_of(std::size_t request) const;
  Slices modes(const Piece& piece) const;
  Slice own_code() const;
  Slice after_fault(const ThreadMark& mark) const;
  Slice in_fault(const ThreadMark& mark, const ThreadMark* next) const;
  Slice at_point(const ThreadMark& mark) const;
  Cause gap_after(const ThreadMark& mark) const;
  static bool may_take_semaphores(Cause cause);
  bool may_spin(std::uint32_t thread, Ticks begin, Ticks end) const;
  Slices interrupts(const Piece& piece, std::uint32_t processor) const;
  Slices untraced(const CallTimes& call, Ticks begin, Ticks end) const;
  void name_thread(Slice& slice, std::uint32_t thread) const;
  void append_part(const CallTimes& call, Part part, Slices& slices) const;
  std::span<const Slice> slices_of(const CallTimes& call, Ticks begin, Ticks end,
                                   Slices& overlaid) const;

  const Timeline& timeline_;
  Coverage coverage_;
  Ticks longest_storage_ = 0;                      // length of the longest request
  std::map<std::uint32_t, StepTimes> step_times_;  // by thread
  const StepTimes* steps_ = nullptr;               // of the thread that is being cut
  // The slices of one thread over [kept_begin_, kept_end_). They do not depend on where a call
  // starts, so the next call of the thread can reuse them.
  Slices kept_;
  std::uint32_t kept_thread_ = 0;
  Ticks kept_begin_ = 0;
  Ticks kept_end_ = 0;
};

}  // namespace tailgate::activity
