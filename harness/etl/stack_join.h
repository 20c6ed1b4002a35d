// Joins events with their stacks, which the kernel records behind them. Sources: MOF's StackWalk
// classes (kernel_layout_table.cpp) and EVENT_HEADER_EXT_TYPE_STACK_* of evntcons.h. A stack names
// the time and the thread of its event; its parts, the kernel's and the user's, come one by one; a
// part may be a key. The kernel uses keys again: it records what a key stood for when it deletes
// the key or lists those that are left, so the first such record behind a use tells its stack. (In
// net.4.5.2.x86, 673 of 1,134 keys stand for several stacks.)
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "harness/etl/record.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

inline constexpr std::size_t kMaxStackFrames = 1024;
// The user's part of a stack is recorded when the thread returns to user mode.
inline constexpr std::uint64_t kMaxStackWaitNs = 5'000'000'000;

// The stacks that keys stand for.
class StackKeys {
 public:
  // Takes any record, in any order; keeps what defines a key. Times are those of one clock.
  void add(const Record& record, const RecordHeader& header);
  // Call it once, after the last add().
  void sort();
  // The stack that a record of that time means; empty when nothing defines it.
  std::span<const std::uint64_t> find(std::uint64_t key, std::int64_t time) const;
  // Stacks beyond the limits on memory, which find() does not know.
  std::uint64_t over_limit() const { return over_limit_; }

 private:
  struct Definition {
    std::uint64_t key;
    std::int64_t time;
    std::size_t first;  // in frames_
    std::size_t count;
    bool begins;  // the key stands for it from that time on, not up to it
  };
  std::vector<Definition> definitions_;  // by key and time
  std::vector<std::uint64_t> frames_;
  std::uint64_t over_limit_ = 0;
};

// A key means nothing in another session than its own.
using KeysOfSessions = std::unordered_map<const LogFileHeader*, StackKeys>;

// Every session of the files has an entry.
KeysOfSessions stack_keys_in(const std::vector<const TraceFile*>& files);

// An event that may have a stack.
struct StackedEvent {
  std::int64_t time = 0;  // as its record has it
  std::int64_t time_ns = 0;
  std::uint32_t process = RecordHeader::kNoId;
  std::uint32_t thread = RecordHeader::kNoId;
  std::uint64_t tag = 0;  // the caller's, and so is the address
  std::uint64_t address = 0;
  std::vector<std::uint64_t> frames;  // innermost first
};

// Events that were passed on before their stacks must have been complete, since there was no room
// to wait with them: recognizes the parts that come too late. Remembers the last 65,536.
class EarlyEvents {
 public:
  // Times never decrease.
  void add(std::int64_t time, std::uint32_t thread);

  // Counts the event that a part is of, unless it is none of them. True if it is one.
  bool count(std::int64_t time, std::uint32_t thread);

  // Events that a part came too late for.
  std::uint64_t counted() const { return counted_; }

 private:
  struct Event {
    std::int64_t time;
    std::uint32_t thread;
    bool is_counted;
  };
  std::deque<Event> events_;
  std::uint64_t counted_ = 0;
};

class StackJoiner {
 public:
  using Finish = std::function<void(StackedEvent&&)>;

  // Calls finish with each event, in order of time, when its stack is complete.
  StackJoiner(const StackKeys& keys, Finish finish) : keys_(keys), finish_(std::move(finish)) {}

  // Adds an event with the stack that its own record holds, if any.
  void add(StackedEvent event, const RecordHeader& header);

  // Adds a part of a stack to the event that it belongs to. False for any other record.
  bool add_part(const Record& record, const RecordHeader& header);

  // Passes on the events that waited long enough for their stacks, or all.
  void finish_before(std::int64_t time_ns);
  void finish_all();

  // Events whose stack lacks a part, which came after there was no room to wait for it.
  std::uint64_t cut_short() const { return early_.counted(); }
  // Parts of events that were not added.
  std::uint64_t of_others() const { return of_others_; }

 private:
  StackedEvent* event_of(std::int64_t time, std::uint32_t process, std::uint32_t thread);
  void finish_first();

  const StackKeys& keys_;
  Finish finish_;
  std::deque<StackedEvent> pending_;  // in order of time
  std::size_t pending_frames_ = 0;
  std::int64_t last_ns_ = 0;  // the last event's time
  EarlyEvents early_;
  std::uint64_t of_others_ = 0;
};

}  // namespace tailgate::etl
