#include "harness/etl/memory_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "harness/base/quoting.h"
#include "harness/etl/event_fields.h"
#include "harness/etl/json_table.h"
#include "harness/etl/kernel_hooks.h"
#include "harness/etl/stack_join.h"
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

// Of all processes of a session.
constexpr std::size_t kMaxRanges = 262'144;
constexpr std::size_t kMaxProcesses = 65'536;
constexpr std::size_t kMaxMemoryStacks = 65'536;
constexpr std::size_t kMaxMemoryFrames = 1u << 20;
constexpr std::size_t kMaxOwners = 2 * kMaxRanges;  // with a stack, before those without a range go
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

// What a stack of one process committed and did not free.
struct Leak {
  std::uint32_t process = 0;
  std::span<const std::uint64_t> frames;  // empty: the stack is not known
  std::uint64_t bytes = 0;
};

// What a session has more than MemoryUse keeps.
struct OverLimit {
  std::uint64_t changes = 0;  // that do not count, or only in part
  std::uint64_t stacks = 0;   // of commits
  std::uint64_t keys = 0;     // of stacks
};

class MemoryUse {
 public:
  explicit MemoryUse(const StackKeys& keys)
      : joiner_(keys, [this](StackedEvent&& event) { keep_stack(std::move(event)); }) {
    over_limit_.keys = keys.over_limit();
  }

  void add(const Record& record, const RecordHeader& header, std::int64_t time_ns) {
    if (joiner_.add_part(record, header) || !header.is_kernel()) return;
    if (header.hook_id == kHookVirtualAlloc || header.hook_id == kHookVirtualFree) {
      add_change(record, header, time_ns);
    } else if (header.hook_id == kHookProcessEnd) {
      add_end(header.payload, record.pointer_bytes);
    }
  }

  // Call it once, after the last record.
  void finish() {
    joiner_.finish_all();
    for (const auto& [process, memory] : processes_) {
      for (const auto& [owner, bytes] : memory.committed.by_owner())
        add_leak(process, owner, bytes);
    }
    std::stable_sort(leaks_.begin(), leaks_.end(),
                     [](const Leak& a, const Leak& b) { return a.bytes > b.bytes; });
  }

  const std::map<std::uint32_t, ProcessMemory>& processes() const { return processes_; }
  const std::vector<Leak>& leaks() const { return leaks_; }
  std::uint64_t changes() const { return changes_; }
  const OverLimit& over_limit() const { return over_limit_; }

 private:
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
      allocate(memory, base, size);
      StackedEvent event{record.time, time_ns, process, header.thread_id, owners_, 0, {}};
      joiner_.add(std::move(event), header);
    }
  }

  // Calls change with a process's ranges and the number of ranges that may be added to them.
  template <typename Make>
  AddressRanges::Change change(AddressRanges& ranges, Make make) {
    const std::size_t before = ranges.count();
    const AddressRanges::Change made = make(ranges, kMaxRanges - std::min(kMaxRanges, ranges_));
    ranges_ += ranges.count();
    ranges_ -= before;
    if (!made.complete) ++over_limit_.changes;
    return made;
  }

  void allocate(ProcessMemory& memory, std::uint64_t base, std::uint64_t size) {
    ++memory.allocations;
    ++owners_;
    const auto made = change(memory.committed, [&](AddressRanges& ranges, std::size_t room) {
      return ranges.add(base, size, owners_, room);
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

  // Windows frees what a process has when it ends.
  void add_end(Bytes payload, std::size_t pointer_bytes) {
    if (payload.size() < pointer_bytes + 4) return;
    const auto at = processes_.find(load<std::uint32_t>(payload.data() + pointer_bytes));
    if (at == processes_.end()) return;
    ProcessMemory& memory = at->second;
    memory.ended = true;
    memory.unfreed_bytes = 0;
    ranges_ -= memory.committed.count();
    memory.committed = {};
  }

  void keep_stack(StackedEvent&& event) {
    if (event.frames.empty()) return;
    auto at = stack_numbers_.find(event.frames);
    if (at == stack_numbers_.end()) {
      if (stacks_.size() >= kMaxMemoryStacks || event.frames.size() > kMaxMemoryFrames - frames_) {
        ++over_limit_.stacks;
        return;
      }
      frames_ += event.frames.size();
      at = stack_numbers_.emplace(std::move(event.frames), stacks_.size()).first;
      stacks_.push_back(&at->first);
    }
    if (stack_of_.size() >= kMaxOwners) forget_freed();
    stack_of_[static_cast<std::uint32_t>(event.tag)] = at->second;
  }

  // Only owners of ranges need their stacks: at most half of those that are kept.
  void forget_freed() {
    std::unordered_set<std::uint32_t> owners;
    for (const auto& [process, memory] : processes_) memory.committed.collect_owners(owners);
    std::erase_if(stack_of_,
                  [&owners](const auto& entry) { return !owners.contains(entry.first); });
  }

  void add_leak(std::uint32_t process, std::uint32_t owner, std::uint64_t bytes) {
    constexpr std::size_t kNoStack = ~std::size_t{0};
    const auto stack = stack_of_.find(owner);
    const std::size_t number = stack == stack_of_.end() ? kNoStack : stack->second;
    const auto [at, is_new] = leak_numbers_.try_emplace({process, number}, leaks_.size());
    if (is_new) {
      leaks_.push_back({process, {}, 0});
      if (number != kNoStack) leaks_.back().frames = *stacks_[number];
    }
    leaks_[at->second].bytes += bytes;
  }

  StackJoiner joiner_;
  std::map<std::uint32_t, ProcessMemory> processes_;
  std::map<std::vector<std::uint64_t>, std::size_t> stack_numbers_;
  std::vector<const std::vector<std::uint64_t>*> stacks_;
  std::unordered_map<std::uint32_t, std::size_t> stack_of_;  // by owner
  std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> leak_numbers_;
  std::vector<Leak> leaks_;
  std::uint32_t owners_ = 0;  // allocations so far
  std::size_t ranges_ = 0;    // of all processes
  std::size_t frames_ = 0;    // of all stacks
  std::uint64_t changes_ = 0;
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
  std::stable_sort(processes.begin(), processes.end(), [](const Json& a, const Json& b) {
    return a.at("unfreed_bytes").get<std::uint64_t>() > b.at("unfreed_bytes").get<std::uint64_t>();
  });
  return processes;
}

Json notes_json(const MemoryUse& use, const std::string& name_limits) {
  Json notes = Json::array();
  if (use.changes() == 0) {
    notes.push_back(
        "the trace has no VirtualAlloc and VirtualFree events; record with the kernel flag "
        "VIRT_ALLOC, and its stacks");
  }
  const auto add = [&notes](std::uint64_t count, std::string_view what) {
    if (count != 0) notes.push_back(fmt::format("without room: {} {}", count, what));
  };
  const OverLimit& over = use.over_limit();
  add(over.changes, "events, which do not count or only in part");
  add(over.stacks, "stacks of commits, which are under (no stack)");
  add(over.keys, "stacks that keys stand for");
  if (use.leaks().size() > kMaxLeakRows) {
    add(use.leaks().size() - kMaxLeakRows, "rows of stacks, those with the fewest bytes");
  }
  if (!name_limits.empty()) notes.push_back(name_limits);
  return notes;
}

Json json_of(const MemoryUse& use, const SessionNames& names, const LogFileHeader& session,
             const std::string& name_limits, std::int64_t end) {
  const auto& all = use.leaks();
  const auto shown = std::span(all).first(std::min(all.size(), kMaxLeakRows));
  Json leaks = Json::array();
  for (const Leak& leak : shown) {
    leaks.push_back({{"unfreed_bytes", leak.bytes},
                     {"process", process_text(names, leak.process, end)},
                     {"stack", stack_text(names, leak)}});
  }
  return {{"session_name", session.session_name},
          {"notes", notes_json(use, name_limits)},
          {"processes", processes_json(use, names, end)},
          {"unfreed", leaks}};
}

std::string memory_text(const Json& json, std::size_t max_rows) {
  std::string out = fmt::format("session {}\n", printable(json["session_name"].get<std::string>()));
  for (const Json& note : json["notes"]) out += "note: " + note.get<std::string>() + "\n";
  append_json_table("committed memory, by process", json["processes"], max_rows, out);
  append_json_table("not freed, by stack (innermost first)", json["unfreed"], max_rows, out);
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
