#include "harness/etl/memory_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_set>

#include "harness/base/quoting.h"
#include "harness/etl/allocation_stacks.h"
#include "harness/etl/event_fields.h"
#include "harness/etl/heap_blocks.h"
#include "harness/etl/json_table.h"
#include "harness/etl/kernel_hooks.h"
#include "harness/etl/trace_names.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint16_t kHookVirtualAlloc = 0x0262;
constexpr std::uint16_t kHookVirtualFree = 0x0263;
constexpr std::uint32_t kCommit = 0x1000;    // MEM_COMMIT
constexpr std::uint32_t kDecommit = 0x4000;  // MEM_DECOMMIT
constexpr std::uint32_t kRelease = 0x8000;   // MEM_RELEASE

constexpr std::uint16_t kHookHeapAlloc = 0x1021;
constexpr std::uint16_t kHookHeapRealloc = 0x1022;
constexpr std::uint16_t kHookHeapDestroy = 0x1023;
constexpr std::uint16_t kHookHeapFree = 0x1024;
// From kHookHeapAlloc on: with how many values of a pointer's size the payload begins.
constexpr std::size_t kHeapValues[] = {3, 5, 1, 2};

// Of all processes of a session.
constexpr std::size_t kMaxRanges = 262'144;  // of addresses, and blocks of heaps
constexpr std::size_t kMaxProcesses = 65'536;
constexpr std::size_t kMaxLeakRows = 16'384;
constexpr std::size_t kShownFrames = 12;

}  // namespace

AddressRanges::Change AddressRanges::add(std::uint64_t from, std::uint64_t size,
                                         std::uint32_t owner, std::size_t room) {
  const std::uint64_t end = from + std::min(size, std::numeric_limits<std::uint64_t>::max() - from);
  Change change;
  std::uint64_t at = from;
  auto next = ranges_.upper_bound(at);
  if (next != ranges_.begin()) at = std::max(at, std::prev(next)->second.end);
  std::size_t passed = 0;
  while (at < end) {
    const std::uint64_t until = next == ranges_.end() ? end : std::min(end, next->first);
    if (until > at) {
      if (room-- == 0) return {change.bytes, false, 0};
      ranges_.emplace_hint(next, at, Range{until, owner});
      change.bytes += until - at;
    }
    if (next == ranges_.end() || next->first >= end) break;
    if (++passed > kMaxPassed) return {change.bytes, false, 0};
    at = next->second.end;
    ++next;
  }
  return change;
}

AddressRanges::Change AddressRanges::remove(std::uint64_t from, std::uint64_t size,
                                            std::size_t room) {
  const std::uint64_t end = from + std::min(size, std::numeric_limits<std::uint64_t>::max() - from);
  Change change;
  auto at = ranges_.upper_bound(from);
  if (at != ranges_.begin() && std::prev(at)->second.end > from) --at;
  while (at != ranges_.end() && at->first < end) {
    const auto [begin, range] = *at;
    at = ranges_.erase(at);
    const std::uint64_t cut_from = std::max(from, begin);
    const std::uint64_t cut_end = std::min(end, range.end);
    change.bytes += cut_end - cut_from;
    const bool splits = begin < cut_from && cut_end < range.end;
    if (begin < cut_from) ranges_.emplace(begin, Range{cut_from, range.owner});
    if (splits && room == 0) {
      change.complete = false;
      change.lost_bytes = range.end - cut_end;
    } else if (cut_end < range.end) {
      at = ranges_.emplace(cut_end, Range{range.end, range.owner}).first;
    }
  }
  return change;
}

void AddressRanges::collect_owners(std::unordered_set<std::uint32_t>& owners) const {
  for (const auto& [begin, range] : ranges_) owners.insert(range.owner);
}

std::map<std::uint32_t, std::uint64_t> AddressRanges::by_owner() const {
  std::map<std::uint32_t, std::uint64_t> bytes;
  for (const auto& [begin, range] : ranges_) bytes[range.owner] += range.end - begin;
  return bytes;
}

namespace {

struct ProcessMemory {
  AddressRanges committed;
  std::uint64_t allocations = 0;
  std::uint64_t committed_bytes = 0;
  std::uint64_t frees = 0;
  std::uint64_t freed_bytes = 0;
  std::uint64_t unknown_freed_bytes = 0;  // committed before the trace began
  std::uint64_t unfreed_bytes = 0;
  std::uint64_t peak_bytes = 0;
  bool ended = false;
};

struct ProcessHeaps {
  HeapBlocks blocks;
  std::uint64_t allocations = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t frees = 0;
  std::uint64_t freed_bytes = 0;
  std::uint64_t unknown_frees = 0;  // of blocks that were allocated before the trace began
  std::uint64_t unfreed_bytes = 0;
  std::uint64_t peak_bytes = 0;
  bool ended = false;
};

// What a session has more than MemoryUse keeps.
struct OverLimit {
  std::uint64_t changes = 0;      // that do not count, or only in part
  std::uint64_t heap_events = 0;  // likewise
};

class MemoryUse {
 public:
  explicit MemoryUse(const StackKeys& keys)
      : stacks_(keys, kMaxRanges, [this](Owners& owners) { collect_owners(owners); }) {}

  void add(const Record& record, const RecordHeader& header, std::int64_t time_ns) {
    if (stacks_.add_part(record, header) || !header.is_kernel()) return;
    if (header.hook_id == kHookVirtualAlloc || header.hook_id == kHookVirtualFree) {
      add_change(record, header, time_ns);
    } else if (header.hook_id >= kHookHeapAlloc && header.hook_id <= kHookHeapFree) {
      add_heap_event(record, header, time_ns);
    } else if (header.hook_id == kHookProcessEnd) {
      add_end(header.payload, record.pointer_bytes);
    }
  }

  // Call it once, after the last record.
  void finish() { stacks_.finish(); }

  const std::map<std::uint32_t, ProcessMemory>& processes() const { return processes_; }
  const std::map<std::uint32_t, ProcessHeaps>& heaps() const { return heaps_; }
  std::uint64_t changes() const { return changes_; }
  std::uint64_t heap_events() const { return heap_events_; }
  std::uint64_t heap_events_of_nobody() const { return heap_events_of_nobody_; }
  const OverLimit& over_limit() const { return over_limit_; }
  const AllocationStacks& stacks() const { return stacks_; }

  std::vector<Leak> leaks() const {
    AllocationStacks::Leaks leaks(stacks_);
    for (const auto& [process, memory] : processes_)
      leaks.add(process, memory.committed.by_owner());
    return leaks.sorted();
  }
  std::vector<Leak> heap_leaks() const {
    AllocationStacks::Leaks leaks(stacks_);
    for (const auto& [process, heaps] : heaps_) leaks.add(process, heaps.blocks.by_owner());
    return leaks.sorted();
  }

 private:
  void collect_owners(Owners& owners) const {
    for (const auto& [process, memory] : processes_) memory.committed.collect_owners(owners);
    for (const auto& [process, heaps] : heaps_) heaps.blocks.collect_owners(owners);
  }

  void add_change(const Record& record, const RecordHeader& header, std::int64_t time_ns) {
    const std::size_t pointer = record.pointer_bytes;
    if (header.payload.size() < 2 * pointer + 8) return;
    ++changes_;
    const std::uint8_t* at = header.payload.data();
    const std::uint64_t base = pointer_at(at, record.pointer_bytes);
    const std::uint64_t size = pointer_at(at + pointer, record.pointer_bytes);
    const auto process = load<std::uint32_t>(at + 2 * pointer);
    const auto flags = load<std::uint32_t>(at + 2 * pointer + 4);
    if (processes_.size() >= kMaxProcesses && !processes_.contains(process)) {
      ++over_limit_.changes;
      return;
    }
    ProcessMemory& memory = processes_[process];
    memory.ended = false;
    if (header.hook_id == kHookVirtualFree) {
      if ((flags & (kDecommit | kRelease)) != 0) free(memory, base, size);
    } else if ((flags & kCommit) != 0) {
      allocate(memory, base, size, stacks_.begin(record, header, time_ns, process));
    }
  }

  std::size_t room() const { return kMaxRanges - std::min(kMaxRanges, ranges_ + blocks_); }

  // Calls change with a process's ranges and the number of ranges that may be added to them.
  template <typename Make>
  AddressRanges::Change change(AddressRanges& ranges, Make make) {
    const std::size_t before = ranges.count();
    const AddressRanges::Change made = make(ranges, room());
    ranges_ += ranges.count();
    ranges_ -= before;
    if (!made.complete) ++over_limit_.changes;
    return made;
  }

  void allocate(ProcessMemory& memory, std::uint64_t base, std::uint64_t size,
                std::uint32_t owner) {
    ++memory.allocations;
    const auto made = change(memory.committed, [&](AddressRanges& ranges, std::size_t room) {
      return ranges.add(base, size, owner, room);
    });
    memory.committed_bytes += made.bytes;
    memory.unfreed_bytes += made.bytes;
    memory.peak_bytes = std::max(memory.peak_bytes, memory.unfreed_bytes);
  }

  void free(ProcessMemory& memory, std::uint64_t base, std::uint64_t size) {
    ++memory.frees;
    const auto made = change(memory.committed, [&](AddressRanges& ranges, std::size_t room) {
      return ranges.remove(base, size, room);
    });
    memory.freed_bytes += made.bytes;
    memory.unfreed_bytes -= made.bytes + made.lost_bytes;
    memory.unknown_freed_bytes += size - std::min(size, made.bytes);
  }

  void add_heap_event(const Record& record, const RecordHeader& header, std::int64_t time_ns) {
    std::array<std::uint64_t, 5> values{};
    const std::size_t pointer = record.pointer_bytes;
    const std::size_t count = header.payload.size() / pointer;
    for (std::size_t i = 0; i < std::min(count, values.size()); ++i) {
      values[i] = pointer_at(header.payload.data() + i * pointer, record.pointer_bytes);
    }
    if (count < kHeapValues[header.hook_id - kHookHeapAlloc]) return;
    ++heap_events_;
    const std::uint32_t process = header.process_id;
    if (process == RecordHeader::kNoId) {
      ++heap_events_of_nobody_;
      return;
    }
    if (heaps_.size() >= kMaxProcesses && !heaps_.contains(process)) {
      ++over_limit_.heap_events;
      return;
    }
    ProcessHeaps& heaps = heaps_[process];
    heaps.ended = false;
    const auto owner = [&] { return stacks_.begin(record, header, time_ns, process); };
    switch (header.hook_id) {
      case kHookHeapAlloc:
        return allocate_block(heaps, values[0], values[2], values[1], owner());
      case kHookHeapRealloc:
        return resize_block(heaps, values, owner());
      case kHookHeapDestroy:
        return free_heap(heaps, values[0]);
      default:
        return free_block(heaps, values[0], values[1], true);
    }
  }

  // Where a block is already, its end was not recorded.
  void allocate_block(ProcessHeaps& heaps, std::uint64_t heap, std::uint64_t address,
                      std::uint64_t size, std::uint32_t owner) {
    if (address == 0) return;  // it failed
    free_block(heaps, heap, address, false);
    ++heaps.allocations;
    heaps.allocated_bytes += size;
    if (room() == 0) {
      ++over_limit_.heap_events;
      return;
    }
    ++blocks_;
    heaps.blocks.set(heap, address, {size, owner});
    heaps.unfreed_bytes += size;
    heaps.peak_bytes = std::max(heaps.peak_bytes, heaps.unfreed_bytes);
  }

  // Windows records a block that moves as an allocation and a free, and then as this event, too.
  void resize_block(ProcessHeaps& heaps, const std::array<std::uint64_t, 5>& values,
                    std::uint32_t owner) {
    const auto [heap, new_address, old_address, new_size, old_size] = values;
    const HeapBlocks::Block* moved =
        new_address == old_address ? nullptr : heaps.blocks.find(heap, new_address);
    const bool counted = moved != nullptr && moved->bytes == new_size;
    if (counted || new_address == 0) return;
    free_block(heaps, heap, old_address, false);
    allocate_block(heaps, heap, new_address, new_size, owner);
  }

  // recorded: by an event of its own.
  void free_block(ProcessHeaps& heaps, std::uint64_t heap, std::uint64_t address, bool recorded) {
    const auto block = heaps.blocks.remove(heap, address);
    if (recorded && !block) ++heaps.unknown_frees;
    if (recorded || block) ++heaps.frees;
    if (!block) return;
    --blocks_;
    heaps.freed_bytes += block->bytes;
    heaps.unfreed_bytes -= block->bytes;
  }

  void free_heap(ProcessHeaps& heaps, std::uint64_t heap) {
    const HeapBlocks::Freed freed = heaps.blocks.remove_heap(heap);
    blocks_ -= freed.blocks;
    heaps.frees += freed.blocks;
    heaps.freed_bytes += freed.bytes;
    heaps.unfreed_bytes -= freed.bytes;
  }

  // Windows frees what a process has when it ends.
  void add_end(Bytes payload, std::size_t pointer_bytes) {
    if (payload.size() < pointer_bytes + 4) return;
    const auto process = load<std::uint32_t>(payload.data() + pointer_bytes);
    if (const auto at = processes_.find(process); at != processes_.end()) {
      ProcessMemory& memory = at->second;
      memory.ended = true;
      memory.unfreed_bytes = 0;
      ranges_ -= memory.committed.count();
      memory.committed = {};
    }
    if (const auto at = heaps_.find(process); at != heaps_.end()) {
      at->second.ended = true;
      at->second.unfreed_bytes = 0;
      blocks_ -= at->second.blocks.count();
      at->second.blocks = {};
    }
  }

  AllocationStacks stacks_;
  std::map<std::uint32_t, ProcessMemory> processes_;
  std::map<std::uint32_t, ProcessHeaps> heaps_;
  std::size_t ranges_ = 0;  // of all processes
  std::size_t blocks_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t heap_events_ = 0;
  std::uint64_t heap_events_of_nobody_ = 0;
  OverLimit over_limit_;
};

std::string process_text(const SessionNames& names, std::uint32_t process, std::int64_t time) {
  const std::string_view name = names.process(process, time);
  return fmt::format("{} ({})", name.empty() ? "unknown" : name, process);
}

std::string stack_text(const SessionNames& names, const Leak& leak) {
  std::string text;
  for (std::size_t i = 0; i < leak.frames.size() && i < kShownFrames; ++i) {
    const std::string image = names.image(leak.process, leak.frames[i]);
    if (i != 0) text += " < ";
    text += image.empty() ? fmt::format("{:#x}", leak.frames[i]) : image;
  }
  if (leak.frames.size() > kShownFrames) text += " < ...";
  return text.empty() ? "(no stack)" : text;
}

Json most_unfreed_first(std::vector<Json> processes) {
  std::stable_sort(processes.begin(), processes.end(), [](const Json& a, const Json& b) {
    return a.at("unfreed_bytes").get<std::uint64_t>() > b.at("unfreed_bytes").get<std::uint64_t>();
  });
  return processes;
}

Json processes_json(const MemoryUse& use, const SessionNames& names, std::int64_t end) {
  std::vector<Json> processes;
  for (const auto& [process, memory] : use.processes()) {
    processes.push_back({{"unfreed_bytes", memory.unfreed_bytes},
                         {"peak_bytes", memory.peak_bytes},
                         {"allocations", memory.allocations},
                         {"committed_bytes", memory.committed_bytes},
                         {"frees", memory.frees},
                         {"freed_bytes", memory.freed_bytes},
                         {"freed_of_before_bytes", memory.unknown_freed_bytes},
                         {"ended", memory.ended},
                         {"process", process_text(names, process, end)}});
  }
  return most_unfreed_first(std::move(processes));
}

Json heaps_json(const MemoryUse& use, const SessionNames& names, std::int64_t end) {
  std::vector<Json> processes;
  for (const auto& [process, heaps] : use.heaps()) {
    processes.push_back({{"unfreed_bytes", heaps.unfreed_bytes},
                         {"unfreed_blocks", heaps.blocks.count()},
                         {"peak_bytes", heaps.peak_bytes},
                         {"allocations", heaps.allocations},
                         {"allocated_bytes", heaps.allocated_bytes},
                         {"frees", heaps.frees},
                         {"freed_bytes", heaps.freed_bytes},
                         {"frees_of_before", heaps.unknown_frees},
                         {"ended", heaps.ended},
                         {"process", process_text(names, process, end)}});
  }
  return most_unfreed_first(std::move(processes));
}

void note_what_is_missing(const MemoryUse& use, Json& notes) {
  if (use.changes() == 0) {
    notes.push_back(
        "the trace has no VirtualAlloc and VirtualFree events; record with the kernel flag "
        "VIRT_ALLOC, and its stacks");
  }
  if (use.changes() == 0 && use.heap_events() == 0) {
    notes.push_back(
        "nor has it events of heaps; record them with xperf's -heap or the profile Heap of WPR");
  }
}

Json notes_json(const MemoryUse& use, std::size_t leak_rows, const std::string& name_limits) {
  Json notes = Json::array();
  note_what_is_missing(use, notes);
  const auto add = [&notes](std::uint64_t count, std::string_view what) {
    if (count != 0) notes.push_back(fmt::format("without room: {} {}", count, what));
  };
  add(use.over_limit().changes, "events, which do not count or only in part");
  add(use.over_limit().heap_events, "events of heaps, which do not count or only in part");
  add(use.stacks().stacks_over_limit(), "stacks of allocations, which are under (no stack)");
  add(use.stacks().keys_over_limit(), "stacks that keys stand for");
  if (leak_rows > kMaxLeakRows) {
    add(leak_rows - kMaxLeakRows, "rows of stacks, those with the fewest bytes");
  }
  if (use.heap_events_of_nobody() != 0) {
    notes.push_back(fmt::format("{} events of heaps name no process, and do not count",
                                use.heap_events_of_nobody()));
  }
  if (!name_limits.empty()) notes.push_back(name_limits);
  return notes;
}

Json leaks_json(const std::vector<Leak>& all, const SessionNames& names, std::int64_t end) {
  Json leaks = Json::array();
  for (const Leak& leak : std::span(all).first(std::min(all.size(), kMaxLeakRows))) {
    leaks.push_back({{"unfreed_bytes", leak.bytes},
                     {"process", process_text(names, leak.process, end)},
                     {"stack", stack_text(names, leak)}});
  }
  return leaks;
}

Json json_of(const MemoryUse& use, const SessionNames& names, const LogFileHeader& session,
             const std::string& name_limits, std::int64_t end) {
  const std::vector<Leak> leaks = use.leaks();
  const std::vector<Leak> heap_leaks = use.heap_leaks();
  return {{"session_name", session.session_name},
          {"notes", notes_json(use, std::max(leaks.size(), heap_leaks.size()), name_limits)},
          {"processes", processes_json(use, names, end)},
          {"unfreed", leaks_json(leaks, names, end)},
          {"heaps", heaps_json(use, names, end)},
          {"heap_unfreed", leaks_json(heap_leaks, names, end)}};
}

std::string memory_text(const Json& json, std::size_t max_rows) {
  std::string out = fmt::format("session {}\n", printable(json["session_name"].get<std::string>()));
  for (const Json& note : json["notes"]) out += "note: " + note.get<std::string>() + "\n";
  append_json_table("committed memory, by process", json["processes"], max_rows, out);
  append_json_table("not freed, by stack (innermost first)", json["unfreed"], max_rows, out);
  if (json["heaps"].empty()) return out;
  append_json_table("blocks of heaps, by process", json["heaps"], max_rows, out);
  append_json_table("not freed on heaps, by stack", json["heap_unfreed"], max_rows, out);
  return out;
}

}  // namespace

void report_memory(const std::vector<const TraceFile*>& files, TextFormat format,
                   std::size_t max_rows, const TextSink& sink) {
  const TraceNames names(files);
  const KeysOfSessions keys = stack_keys_in(files);
  TraceReader reader(files, ReadOrder::time);
  std::unique_ptr<MemoryUse> use;
  const LogFileHeader* session = nullptr;
  std::int64_t last = 0;
  const auto finish = [&] {
    if (!use) return true;
    use->finish();
    const Json json = json_of(*use, names.of(*session), *session, names.limits(), last);
    return sink(format == TextFormat::json
                    ? json_text(json.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n"
                    : memory_text(json, max_rows));
  };
  while (const Record* record = reader.next()) {
    if (session != &reader.header()) {
      if (!finish()) return;
      session = &reader.header();
      use = std::make_unique<MemoryUse>(keys.at(session));
    }
    use->add(*record, decode_header(*record), reader.clock().elapsed_ns(record->time));
    last = record->time;
  }
  finish();
}

}  // namespace tailgate::etl
