// Cuts a call's time, and the time by which it started late, into stretches of one cause each.
//
// The stretches are disjoint and without gaps: their lengths add up to the measured time. How each
// cause is told from the records stands in harness/activity/README.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/activity/cause.h"
#include "harness/activity/timeline.h"

namespace tailgate::activity {

// A stretch in which a processor did nothing that the trace saw counts as a gap from this length
// on; the same as the gaps of the idle spin loop (Noise in harness/result/result.h).
inline constexpr Ticks kGapNs = 10'000;
// The end of a page fault is not recorded. It is over when the thread makes its next record, or
// after this much time on the processor.
inline constexpr Ticks kLongestFaultNs = 100'000;

struct Slice {
  Ticks begin = 0;
  Ticks end = 0;
  Cause cause = Cause::running;
  std::string name;
  std::uint32_t thread = 0;  // that the name names; 0: none
  std::string detail;
};

// The times of one call, in nanoseconds as the timeline's ticks.
struct CallTimes {
  std::uint32_t thread = 0;  // the system's number of it
  int processor = -1;        // on which it returned; -1: not known
  Ticks intended = 0;        // at or before start
  Ticks start = 0;
  Ticks end = 0;
  Ticks usual = 0;     // time on the processor that such a call needs anyway
  Ticks catch_up = 0;  // likewise the earlier events that may have been in its way
};

// What the trace covers.
struct Coverage {
  Ticks begin = 0;
  Ticks end = 0;
  bool system_calls = false;  // of the watched threads
};

class CallCutter {
 public:
  // timeline: in nanoseconds, with the load's threads watched and intervals kept, finished; it must
  // outlive this. Throws Error when its ticks are others.
  CallCutter(const Timeline& timeline, const Coverage& coverage);

  // From intended to end, in order; neighbours that say the same are one. What a call shares with
  // the one cut before it, as the calls of a backlog share most of their lateness, is taken from
  // the records once: so it is quickest to cut a thread's calls in the order of their times.
  std::vector<Slice> cut(const CallTimes& call);

 private:
  // A part of a call, and the stretch of the thread's history that it lies in.
  struct Piece {
    const ThreadHistory* history;
    std::size_t stretch;
    Ticks begin;
    Ticks end;
  };
  using Slices = std::vector<Slice>;

  enum class Part { before_start, from_start };

  void keep(const CallTimes& call);
  Slices cut_thread(std::uint32_t thread, Ticks begin, Ticks end) const;
  void cut_running(const Piece& piece, Slices& slices) const;
  void cut_ready(const Piece& piece, Slices& slices) const;
  Slice cut_waiting(const Piece& piece) const;
  bool for_storage(const Piece& piece, Slice& slice) const;
  Slices modes(const Piece& piece) const;
  Slices interrupts(const Piece& piece, std::uint32_t processor) const;
  Slices losses(const CallTimes& call, Ticks begin, Ticks end) const;
  void name_thread(Slice& slice, std::uint32_t thread) const;
  void settle(const CallTimes& call, Part part, Slices& settled) const;
  std::span<const Slice> slices_of(const CallTimes& call, Ticks begin, Ticks end,
                                   Slices& overlaid) const;

  const Timeline& timeline_;
  Coverage coverage_;
  Ticks longest_storage_ = 0;  // the longest request
  // Of one thread, from begin to end: whatever the call, and whether it was before its start.
  Slices kept_;
  std::uint32_t kept_thread_ = 0;
  Ticks kept_begin_ = 0;
  Ticks kept_end_ = 0;
};

}  // namespace tailgate::activity
