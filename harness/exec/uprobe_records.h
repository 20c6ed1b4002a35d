// Makes calls from what the kernel's trace says of the probes at a program's functions: merges the
// records of all processors by their time, and pairs entries with returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/calls/call_writer.h"
#include "harness/os/clock.h"
#include "harness/tracefs/ring_page.h"

namespace tailgate {

enum class UprobeEvent : std::uint8_t {
  entry,         // of a probed function; fields common_pid and sp
  returned,      // likewise
  made_thread,   // task/task_newtask
  ended_thread,  // sched/sched_process_exit
};

// (uprobe_records_linux.cpp)
class UprobeRecords {
 public:
  // clock: that of the trace buffer. writer must outlive this object.
  UprobeRecords(const tracefs::PageLayout& layout, const Clock& clock, CallWriter& writer)
      : layout_(layout), clock_(clock), writer_(writer) {}

  // Registers an event by the text of its format file. kind: of the function's calls. Throws Error
  // if the format lacks a field.
  void add_event(std::string_view format_text, UprobeEvent event, std::uint32_t kind);

  // Takes a page of a processor's buffer; each processor's pages come in their order. Accepts any
  // bytes: what is no record, or too short for its event, counts as lost.
  void add_page(std::int32_t cpu, std::span<const std::byte> page);

  // Hands on the records that are older than that time, when all those have been added.
  void pair_until(std::uint64_t ticks);

 private:
  struct Event {
    UprobeEvent event;
    std::uint32_t kind;
    std::size_t thread_at;
    std::size_t value_at;  // `sp`, or the number of the thread that was made
    std::size_t flags_at;  // of the clone
    std::size_t min_bytes;
  };
  struct Record {
    std::uint64_t ticks;
    UprobeEvent event;
    bool after_loss;  // records before it were lost
    std::uint32_t kind;
    std::uint32_t thread;
    std::uint64_t value;
    std::uint64_t flags;
  };
  struct Cpu {
    std::int32_t number;
    bool lost_last = false;  // records after the last one in the queue were lost
    std::deque<Record> records;
  };

  Cpu& cpu(std::int32_t number);
  void add_record(const tracefs::RingRecord& record, Cpu& cpu);
  void lose(std::uint64_t records, Cpu& cpu);
  void hand_on(const Record& record, std::int32_t cpu);

  const tracefs::PageLayout layout_;
  const Clock clock_;
  CallWriter& writer_;
  std::unordered_map<std::uint16_t, Event> events_;
  std::vector<Cpu> cpus_;
};

}  // namespace tailgate
