#include "harness/explain/ftrace_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/base/error.h"
#include "harness/explain/kernel_points.h"

namespace tailgate::activity {
namespace {

using tracefs::EventFormat;
using tracefs::FormatField;

// The fields at the start of every record; the same on all kernels since 2.6.33.
constexpr std::size_t kTypeAt = 0;
constexpr std::size_t kFlagsAt = 2;
constexpr std::size_t kPidAt = 4;
constexpr std::size_t kCommonBytes = 8;

// common_flags (enum trace_flag_type of the kernel).
constexpr std::uint8_t kInInterrupt = 0x08 | 0x10 | 0x40;  // hard, soft, non-maskable

// prev_state of sched_switch (TASK_* of the kernel): the states that ps shows as S, D, T and t.
constexpr std::uint64_t kStateInterruptible = 0x01;
constexpr std::uint64_t kStateUninterruptible = 0x02;
constexpr std::uint64_t kStateStopped = 0x04 | 0x08;
constexpr std::uint64_t kStateAny = 0xFF;

// Ranges of routine numbers: softirqs start at 0, interrupt lines and vectors at these.
constexpr std::uint64_t kLines = std::uint64_t{1} << 32;
constexpr std::uint64_t kVectors = std::uint64_t{2} << 32;

constexpr std::uint32_t kMaxProcessors = 4096;
constexpr std::size_t kMaxOpenInterrupts = 32;
// What was merged with other requests never begins one, so it stays.
constexpr std::size_t kMaxQueued = 1 << 16;
constexpr unsigned kMinorBits = 20;  // of a dev_t in the kernel

constexpr std::array kSoftirqs = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                  "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

Wait wait_of(std::uint64_t state) {
  if ((state & kStateUninterruptible) != 0) return Wait::uninterruptible;
  if ((state & kStateInterruptible) != 0) return Wait::interruptible;
  if ((state & kStateStopped) != 0) return Wait::stopped;
  return Wait::unknown;
}

bool has_field(const EventFormat& format, std::string_view name) {
  return std::any_of(format.fields.begin(), format.fields.end(),
                     [&](const FormatField& field) { return field.name == name; });
}

}  // namespace

bool FtraceRecords::add_format(std::string_view format_text) {
  const EventFormat format = tracefs::parse_event_format(format_text);
  Event event = describe(format);
  if (event.kind == Kind::none) return false;
  event.min_bytes = kCommonBytes;
  for (const Place& place : event.places) {
    event.min_bytes = std::max(event.min_bytes, place.at + place.bytes);
  }
  if (event_of_id_.size() <= format.id) event_of_id_.resize(format.id + std::size_t{1});
  event_of_id_[format.id] = static_cast<std::uint16_t>(events_.size());
  events_.push_back(std::move(event));
  return true;
}

FtraceRecords::Event FtraceRecords::describe(const EventFormat& format) {
  const auto with = [&](Kind kind, std::initializer_list<const char*> fields) {
    Event event{.kind = kind};
    std::size_t next = 0;
    for (const char* name : fields) {
      const FormatField& field = format.field(name);
      event.places.at(next++) = {field.offset_bytes, field.size_bytes};
    }
    return event;
  };
  const std::string& name = format.name;
  if (name == "sched_switch") {
    return with(Kind::context_switch,
                {"prev_pid", "prev_state", "next_pid", "prev_comm", "next_comm"});
  }
  if (name == "sched_waking" || name == "sched_wakeup_new") {
    return with(Kind::waking, {"pid", "comm"});
  }
  if (name.starts_with("page_fault_")) return with(Kind::page_fault, {});
  if (name == "block_rq_issue") {
    return with(Kind::storage_begin, {"dev", "sector", "rwbs", "nr_sector"});
  }
  if (name == "block_rq_complete") return with(Kind::storage_end, {"dev", "sector"});
  if (name == "sys_enter") return with(Kind::system_call_begin, {"id"});
  if (name == "sys_exit") return with(Kind::system_call_end, {"id"});
  if (name == "function") return with(Kind::kernel_function, {"ip"});
  const Event point = describe_point(format);
  return point.kind == Kind::kernel_point ? point : describe_interrupt(format);
}

FtraceRecords::Event FtraceRecords::describe_point(const EventFormat& format) {
  const std::span<const KernelPointRow> rows = kernel_points();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const KernelPointRow& one) {
    return one.name() == format.name;
  });
  if (row == rows.end()) return {};
  Event event{.kind = Kind::kernel_point};
  event.point = static_cast<std::uint32_t>(row - rows.begin()) + kWakePoint + 1;
  timeline_.add(KernelPointFact{
      .point = event.point, .name = format.name, .cause = row->cause, .marks = row->marks});
  if (format.name == "block_bio_queue") {
    event.queues_storage = true;
    std::size_t next = 0;
    for (const char* name : {"dev", "sector"}) {
      const FormatField& field = format.field(name);
      event.places.at(next++) = {field.offset_bytes, field.size_bytes};
    }
  }
  return event;
}

// Describes an interrupt line ("irq_handler_entry"), a softirq, or an interrupt vector. A vector is
// named after its events: "local_timer_entry" and "local_timer_exit" belong to "local_timer".
FtraceRecords::Event FtraceRecords::describe_interrupt(const EventFormat& format) {
  Event event;
  std::string_view name = format.name;
  if (name.ends_with("_entry")) {
    event.kind = Kind::interrupt_begin;
    name.remove_suffix(std::strlen("_entry"));
  } else if (name.ends_with("_exit")) {
    event.kind = Kind::interrupt_end;
    name.remove_suffix(std::strlen("_exit"));
  } else {
    return {};
  }
  const auto place = [&](const char* field) {
    return Place{format.field(field).offset_bytes, format.field(field).size_bytes};
  };
  if (name == "irq_handler") {
    event.routine_base = kLines;
    event.places[0] = place("irq");
    if (event.kind == Kind::interrupt_begin) event.places[1] = place("name");
  } else if (name == "softirq") {
    event.interrupt = InterruptKind::deferred;
    event.places[0] = place("vec");
  } else if (has_field(format, "vector")) {
    const auto known = std::find_if(events_.begin(), events_.end(),
                                    [&](const Event& other) { return other.name == name; });
    event.routine_base = known != events_.end() ? known->routine_base : kVectors + events_.size();
    event.name = name;
    timeline_.add(RoutineFact{InterruptKind::hardware, event.routine_base, event.name});
  } else {
    return {};
  }
  return event;
}

void FtraceRecords::add(std::uint32_t processor, Ticks time, std::span<const std::byte> data) {
  last_time_ = std::max(last_time_, time);
  if (data.size() < kCommonBytes) {
    damaged_bytes_ += data.size();
    return;
  }
  std::uint16_t id;
  std::memcpy(&id, data.data() + kTypeAt, sizeof id);
  const Event& event = events_[id < event_of_id_.size() ? event_of_id_[id] : 0];
  if (event.kind == Kind::none) return;
  if (data.size() < event.min_bytes) {
    damaged_bytes_ += data.size();
    return;
  }
  ++records_;
  add({std::min(processor, kMaxProcessors - 1), last_time_, data, event});
}

void FtraceRecords::add(const Record& record) {
  switch (record.event.kind) {
    case Kind::context_switch:
      return add_switch(record);
    case Kind::waking:
      return add_waking(record);
    case Kind::interrupt_begin:
    case Kind::interrupt_end:
      return add_interrupt(record);
    case Kind::page_fault:
      return timeline_.add(PageFault{record.time, record.processor, thread_of(record)});
    case Kind::storage_begin:
    case Kind::storage_end:
      return add_storage(record);
    case Kind::system_call_begin:
    case Kind::system_call_end:
      return timeline_.add(SystemCall{record.time, record.processor, thread_of(record),
                                      static_cast<std::uint32_t>(number(record, 0)),
                                      record.event.kind == Kind::system_call_begin});
    case Kind::kernel_point:
      return add_point(record);
    case Kind::kernel_function:
      return add_function(record);
    case Kind::none:
      return;
  }
}

std::uint64_t FtraceRecords::number(const Record& record, std::size_t place) {
  const Place& at = record.event.places[place];
  std::uint64_t value = 0;
  std::memcpy(&value, record.data.data() + at.at, std::min(at.bytes, sizeof value));
  return value;
}

// Returns a text field up to its zero byte. A field of four bytes is dynamic: it holds length << 16
// | offset of the text within the record.
std::string FtraceRecords::text(const Record& record, std::size_t place) {
  Place at = record.event.places[place];
  if (at.bytes == sizeof(std::uint32_t)) {
    const std::uint64_t location = number(record, place);
    at = {location & 0xFFFF, (location >> 16) & 0xFFFF};
    if (at.at > record.data.size() || at.bytes > record.data.size() - at.at) return "";
  }
  const auto* begin = reinterpret_cast<const char*>(record.data.data() + at.at);
  return {begin, std::find(begin, begin + at.bytes, '\0')};
}

std::uint32_t FtraceRecords::thread_of(const Record& record) {
  std::uint32_t thread;
  std::memcpy(&thread, record.data.data() + kPidAt, sizeof thread);
  return thread;
}

bool FtraceRecords::is_in_interrupt(const Record& record) {
  return (std::to_integer<std::uint8_t>(record.data[kFlagsAt]) & kInInterrupt) != 0;
}

void FtraceRecords::add_switch(const Record& record) {
  const auto from = static_cast<std::uint32_t>(number(record, 0));
  const std::uint64_t state = number(record, 1);
  const auto to = static_cast<std::uint32_t>(number(record, 2));
  timeline_.add(ContextSwitch{.time = record.time,
                              .processor = record.processor,
                              .old_thread = from,
                              .new_thread = to,
                              .old_was_preempted = (state & kStateAny) == 0,
                              .old_wait = wait_of(state)});
  name_thread(record, 3, from);
  name_thread(record, 4, to);
}

// An interrupt that passes a point does so on top of the thread, not for it.
void FtraceRecords::add_point(const Record& record) {
  if (is_in_interrupt(record)) return;
  if (record.event.queues_storage) note_queued(record);
  timeline_.add(KernelPoint{record.time, thread_of(record), record.event.point});
}

// Likewise.
void FtraceRecords::add_function(const Record& record) {
  if (is_in_interrupt(record)) return;
  const std::uint64_t address = number(record, 0);
  functions_.insert(address);
  timeline_.add(KernelFunction{record.time, thread_of(record), address});
}

void FtraceRecords::add_waking(const Record& record) {
  const auto thread = static_cast<std::uint32_t>(number(record, 0));
  timeline_.add(ThreadReady{.time = record.time,
                            .processor = record.processor,
                            .thread = thread,
                            .by_interrupt = is_in_interrupt(record)});
  name_thread(record, 1, thread);
}

// Pairs an end with the innermost open begin of the same routine. Interrupts that began inside of
// it and have no end are dropped.
void FtraceRecords::add_interrupt(const Record& record) {
  if (record.processor >= open_.size()) open_.resize(record.processor + 1);
  std::vector<OpenInterrupt>& open = open_[record.processor];
  const Event& event = record.event;
  const std::uint64_t routine = event.routine_base + (number(record, 0) & 0xFFFF);
  if (event.kind == Kind::interrupt_begin) {
    if (open.size() == kMaxOpenInterrupts) open.clear();
    open.push_back({routine, event.interrupt, record.time});
    name_routine(record, routine);
    return;
  }
  const auto begun = std::find_if(open.rbegin(), open.rend(), [&](const OpenInterrupt& one) {
    return one.routine == routine && one.kind == event.interrupt;
  });
  if (begun == open.rend()) return;
  timeline_.add(Interrupt{begun->begin, record.time, record.processor, event.interrupt, routine});
  open.erase(std::prev(begun.base()), open.end());
}

void FtraceRecords::name_routine(const Record& record, std::uint64_t routine) {
  const Event& event = record.event;
  if (!event.name.empty() || !named_routines_.insert({event.interrupt, routine}).second) return;
  std::string name;
  if (event.interrupt == InterruptKind::deferred) {
    name = routine < kSoftirqs.size() ? kSoftirqs[routine] : "softirq " + std::to_string(routine);
  } else {
    name = text(record, 1);
  }
  timeline_.add(RoutineFact{event.interrupt, routine, name});
}

void FtraceRecords::note_queued(const Record& record) {
  if (queued_.size() >= kMaxQueued) queued_.clear();
  queued_[{number(record, 0) >> kMinorBits, number(record, 1)}] = thread_of(record);
}

// The thread that a request is for. Another one may issue it: a worker of the kernel, or whoever
// issues requests of others on the way. What is queued may name a partition, and the request its
// disk, of the same major number and with the same sector.
std::uint32_t FtraceRecords::thread_behind(const Record& request) {
  const auto queued = queued_.find({number(request, 0) >> kMinorBits, number(request, 1)});
  if (queued == queued_.end()) return thread_of(request);
  const std::uint32_t thread = queued->second;
  queued_.erase(queued);
  return thread;
}

// The device number is the kernel's dev_t: 12 bits major, 20 bits minor.
void FtraceRecords::add_storage(const Record& record) {
  const std::uint64_t device = number(record, 0);
  const bool begins = record.event.kind == Kind::storage_begin;
  StorageRequest request{.time = record.time,
                         .thread = begins ? thread_behind(record) : thread_of(record),
                         .device = device,
                         .sector = number(record, 1),
                         .begins = begins,
                         .name = {}};
  if (request.begins) {
    // Letters as in the kernel's blk_fill_rwbs(): "WS" writes, "FF" flushes and writes nothing.
    const std::string what = text(record, 2);
    request.name =
        fmt::format("{}:{} {}", device >> kMinorBits, device & ((1U << kMinorBits) - 1), what);
    request.flush = what.starts_with("FF");
    if (what.find('W') != std::string::npos) request.sectors = number(record, 3);
  }
  timeline_.add(request);
}

void FtraceRecords::name_thread(const Record& record, std::size_t place, std::uint32_t thread) {
  const Place& at = record.event.places[place];
  std::array<char, 16> name{};
  std::memcpy(name.data(), record.data.data() + at.at, std::min(at.bytes, name.size() - 1));
  if (thread == 0) return;
  const auto [known, added] = names_.try_emplace(thread, name);
  if (!added && known->second == name) return;
  known->second = name;
  timeline_.add(ThreadFact{record.time, thread, kUnknown, name.data(), true});
}

}  // namespace tailgate::activity
