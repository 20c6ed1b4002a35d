#include <algorithm>
#include <cstring>

#include "harness/exec/uprobe_records.h"
#include "harness/tracefs/event_format.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kCloneThread = 0x10000;  // clone(2): CLONE_THREAD

template <class Word>
Word word_at(std::span<const std::byte> data, std::size_t at) {
  Word value = 0;
  if (at <= data.size() && data.size() - at >= sizeof value) {
    std::memcpy(&value, data.data() + at, sizeof value);
  }
  return value;
}

}  // namespace

void UprobeRecords::add_event(std::string_view format_text, UprobeEvent event, std::uint32_t kind) {
  const tracefs::EventFormat format = tracefs::parse_event_format(format_text);
  Event added{.event = event,
              .kind = kind,
              .thread_at = format.field("common_pid").offset_bytes,
              .value_at = 0,
              .flags_at = 0,
              .min_bytes = 0};
  added.min_bytes = added.thread_at + sizeof(std::uint32_t);
  if (event == UprobeEvent::made_thread) {
    added.value_at = format.field("pid").offset_bytes;
    added.flags_at = format.field("clone_flags").offset_bytes;
    added.min_bytes = std::max(added.min_bytes, added.flags_at + sizeof(std::uint64_t));
    added.min_bytes = std::max(added.min_bytes, added.value_at + sizeof(std::uint32_t));
  } else if (event != UprobeEvent::ended_thread) {
    added.value_at = format.field("sp").offset_bytes;
    added.min_bytes = std::max(added.min_bytes, added.value_at + sizeof(std::uint64_t));
  }
  events_.insert_or_assign(format.id, added);
}

UprobeRecords::Cpu& UprobeRecords::cpu(std::int32_t number) {
  const auto place = std::find_if(cpus_.begin(), cpus_.end(),
                                  [number](const Cpu& one) { return one.number == number; });
  if (place != cpus_.end()) return *place;
  return cpus_.emplace_back(Cpu{.number = number, .lost_last = false, .records = {}});
}

void UprobeRecords::lose(std::uint64_t records, Cpu& cpu) {
  writer_.count_lost(records);
  cpu.lost_last = true;
}

void UprobeRecords::add_page(std::int32_t number, std::span<const std::byte> bytes) {
  Cpu& cpu = this->cpu(number);
  tracefs::RingPage page(layout_, bytes);
  if (page.missed()) lose(page.missed_events().value_or(1), cpu);
  tracefs::RingRecord record;
  while (page.next(record)) add_record(record, cpu);
  if (page.damaged_bytes() > 0) lose(1, cpu);
}

void UprobeRecords::add_record(const tracefs::RingRecord& record, Cpu& cpu) {
  const auto found = events_.find(word_at<std::uint16_t>(record.data, 0));
  if (found == events_.end()) return;
  const Event& event = found->second;
  if (record.data.size() < event.min_bytes) return lose(1, cpu);
  const bool made = event.event == UprobeEvent::made_thread;
  cpu.records.push_back({.ticks = record.ticks,
                         .event = event.event,
                         .after_loss = cpu.lost_last,
                         .kind = event.kind,
                         .thread = word_at<std::uint32_t>(record.data, event.thread_at),
                         .value = made ? word_at<std::uint32_t>(record.data, event.value_at)
                                       : word_at<std::uint64_t>(record.data, event.value_at),
                         .flags = made ? word_at<std::uint64_t>(record.data, event.flags_at) : 0});
  cpu.lost_last = false;
}

void UprobeRecords::pair_until(std::uint64_t ticks) {
  for (;;) {
    Cpu* oldest = nullptr;
    // From a processor's last record before a loss to its first one after it, no return is known
    // to be that of the entry that was seen last.
    bool in_loss = false;
    for (Cpu& cpu : cpus_) {
      in_loss |= cpu.records.empty() ? cpu.lost_last : cpu.records.front().after_loss;
      if (cpu.records.empty() || cpu.records.front().ticks >= ticks) continue;
      if (oldest == nullptr || cpu.records.front().ticks < oldest->records.front().ticks) {
        oldest = &cpu;
      }
    }
    if (in_loss) writer_.forget_running();
    if (oldest == nullptr) return;
    hand_on(oldest->records.front(), oldest->number);
    oldest->records.pop_front();
  }
}

void UprobeRecords::hand_on(const Record& record, std::int32_t cpu) {
  const CallPoint point{.thread = record.thread,
                        .kind = record.kind,
                        .time_ns = clock_.ns_from_ticks(record.ticks),
                        .stack = record.value,
                        .cpu = cpu};
  switch (record.event) {
    case UprobeEvent::entry:
      return writer_.entered(point);
    case UprobeEvent::returned:
      return writer_.returned(point);
    case UprobeEvent::made_thread:
      return writer_.made_thread(record.thread, static_cast<std::uint32_t>(record.value),
                                 (record.flags & kCloneThread) == 0);
    case UprobeEvent::ended_thread:
      return writer_.ended_thread(record.thread);
  }
}

}  // namespace tailgate
