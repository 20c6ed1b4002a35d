// Converts records of the Linux kernel's trace buffer to the neutral records of a Timeline.
//
// The events, by their names in tracefs: sched/sched_switch, sched_waking and sched_wakeup_new;
// irq/irq_handler_* and softirq_*; irq_vectors/*_entry and *_exit; exceptions/page_fault_*;
// block/block_bio_queue, block_rq_issue and block_rq_complete; raw_syscalls/*; ftrace/function; and
// those of kernel_points.h, of which only the thread and the time are used. The names and offsets
// of their fields come from the kernel's own format files (kernel: Documentation/trace/events.rst);
// their meaning follows the kernel's include/trace/events/{sched,irq,block,syscalls}.h and
// kernel/trace/trace_entries.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/activity/timeline.h"
#include "harness/tracefs/event_format.h"

namespace tailgate::activity {

class FtraceRecords {
 public:
  explicit FtraceRecords(Timeline& timeline) : timeline_(timeline) {}

  // Registers an event by the text of its format file. Returns false if FtraceRecords does not use
  // the event. Throws Error if the format lacks a field that the event has on every kernel.
  bool add_format(std::string_view format_text);

  // Converts one record. data: as RingPage returns it. time: in nanoseconds of the run clock;
  // records of all processors come in order of time, and a time before the previous one counts as
  // the previous one. Accepts any bytes: a record that is too short for its event adds to
  // damaged_bytes(), and a record of an unregistered event is skipped.
  void add(std::uint32_t processor, Ticks time, std::span<const std::byte> data);

  std::uint64_t records() const { return records_; }
  std::uint64_t damaged_bytes() const { return damaged_bytes_; }
  Ticks last_time() const { return last_time_; }
  // The kernel's functions that were entered, by their addresses.
  const std::unordered_set<std::uint64_t>& functions() const { return functions_; }

 private:
  enum class Kind : std::uint8_t {
    none,
    context_switch,
    waking,
    interrupt_begin,
    interrupt_end,
    page_fault,
    storage_begin,
    storage_end,
    system_call_begin,
    system_call_end,
    kernel_point,
    kernel_function,
  };
  // Where a field lies in a record.
  struct Place {
    std::size_t at = 0;
    std::size_t bytes = 0;
  };
  struct Event {
    Kind kind = Kind::none;
    std::size_t min_bytes = 0;  // of a record that has all fields in `places`
    std::array<Place, 6> places = {};
    InterruptKind interrupt = InterruptKind::hardware;
    std::uint64_t routine_base = 0;  // of an interrupt: added to its number
    std::uint32_t point = 0;         // of a point: its KernelPointFact
    bool queues_storage = false;     // of a point: the first two places are a device and a sector
    std::string name = {};           // of an interrupt vector
  };
  struct Record {
    std::uint32_t processor;
    Ticks time;
    std::span<const std::byte> data;
    const Event& event;
  };
  struct OpenInterrupt {
    std::uint64_t routine;
    InterruptKind kind;
    Ticks begin;
  };

  Event describe(const tracefs::EventFormat& format);
  Event describe_point(const tracefs::EventFormat& format);
  Event describe_interrupt(const tracefs::EventFormat& format);
  void add(const Record& record);
  static std::uint64_t number(const Record& record, std::size_t place);
  static std::string text(const Record& record, std::size_t place);
  static std::uint32_t thread_of(const Record& record);
  static bool is_in_interrupt(const Record& record);
  void add_switch(const Record& record);
  void add_waking(const Record& record);
  void add_interrupt(const Record& record);
  void name_routine(const Record& record, std::uint64_t routine);
  void add_storage(const Record& record);
  void note_queued(const Record& record);
  std::uint32_t thread_behind(const Record& request);
  void add_point(const Record& record);
  void add_function(const Record& record);
  void name_thread(const Record& record, std::size_t place, std::uint32_t thread);

  Timeline& timeline_;
  std::vector<Event> events_{Event()};            // the first has Kind::none
  std::vector<std::uint16_t> event_of_id_;        // index into events_
  std::vector<std::vector<OpenInterrupt>> open_;  // by processor
  std::set<std::pair<InterruptKind, std::uint64_t>> named_routines_;
  std::unordered_map<std::uint32_t, std::array<char, 16>> names_;
  // The thread that queued what begins at a sector, by the device's major number and the sector.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> queued_;
  std::unordered_set<std::uint64_t> functions_;
  std::uint64_t records_ = 0;
  std::uint64_t damaged_bytes_ = 0;
  Ticks last_time_ = 0;
};

}  // namespace tailgate::activity
