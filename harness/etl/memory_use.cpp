#include "harness/etl/memory_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "harness/base/quoting.h"
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

constexpr std::size_t kMaxRanges = 262'144;
constexpr std::size_t kMaxStacks = 65'536;
constexpr std::size_t kMaxProcesses = 65'536;
constexpr std::size_t kShownFrames = 12;

std::uint64_t pointer_at(const std::uint8_t* at, unsigned pointer_bytes) {
  return pointer_bytes == 8 ? load<std::uint64_t>(at) : load<std::uint32_t>(at);
}

}  // namespace

std::uint64_t AddressRanges::add(std::uint64_t from, std::uint64_t size, std::uint32_t owner) {
  const std::uint64_t end = from + std::min(size, std::numeric_limits<std::uint64_t>::max() - from);
  std::uint64_t added = 0;
  std::uint64_t at = from;
  auto next = ranges_.upper_bound(at);
  if (next != ranges_.begin()) at = std::max(at, std::prev(next)->second.end);
  while (at < end) {
    const std::uint64_t until = next == ranges_.end() ? end : std::min(end, next->first);
    if (until > at) {
      ranges_.emplace_hint(next, at, Range{until, owner});
      added += until - at;
    }
    if (next == ranges_.end() || next->first >= end) break;
    at = next->second.end;
    ++next;
  }
  return added;
}

std::uint64_t AddressRanges::remove(std::uint64_t from, std::uint64_t size) {
  const std::uint64_t end = from + std::min(size, std::numeric_limits<std::uint64_t>::max() - from);
  std::uint64_t removed = 0;
  auto at = ranges_.upper_bound(from);
  if (at != ranges_.begin() && std::prev(at)->second.end > from) --at;
  while (at != ranges_.end() && at->first < end) {
    const auto [begin, range] = *at;
    at = ranges_.erase(at);
    const std::uint64_t cut_from = std::max(from, begin);
    const std::uint64_t cut_end = std::min(end, range.end);
    removed += cut_end - cut_from;
    if (begin < cut_from) ranges_.emplace(begin, Range{cut_from, range.owner});
    if (cut_end < range.end) at = ranges_.emplace(cut_end, Range{range.end, range.owner}).first;
  }
  return removed;
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
  std::vector<std::uint64_t> frames;
  std::uint64_t bytes = 0;
};

class MemoryUse {
 public:
  explicit MemoryUse(const StackKeys& keys)
      : joiner_(keys, [this](StackedEvent&& event) { keep_stack(std::move(event)); }) {}

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
  std::uint64_t over_limit() const { return over_limit_; }

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
      ++over_limit_;
      return;
    }
    ProcessMemory& memory = processes_[process];
    memory.ended = false;
    if (header.hook_id == kHookVirtualFree) {
      if ((flags & (kDecommit | kRelease)) != 0) free(memory, base, size);
    } else if ((flags & kCommit) != 0) {
      allocate(memory, base, size);
      StackedEvent event{record.time, time_ns, process, header.thread_id, owners_, {}};
      joiner_.add(std::move(event), header);
    }
  }

  void allocate(ProcessMemory& memory, std::uint64_t base, std::uint64_t size) {
    ++memory.allocations;
    ++owners_;
    if (memory.committed.count() >= kMaxRanges) {
      ++over_limit_;
      return;
    }
    const std::uint64_t bytes = memory.committed.add(base, size, owners_);
    memory.committed_bytes += bytes;
    memory.unfreed_bytes += bytes;
    memory.peak_bytes = std::max(memory.peak_bytes, memory.unfreed_bytes);
  }

  static void free(ProcessMemory& memory, std::uint64_t base, std::uint64_t size) {
    ++memory.frees;
    const std::uint64_t bytes = memory.committed.remove(base, size);
    memory.freed_bytes += bytes;
    memory.unfreed_bytes -= bytes;
    memory.unknown_freed_bytes += size - std::min(size, bytes);
  }

  // Windows frees what a process has when it ends.
  void add_end(Bytes payload, std::size_t pointer_bytes) {
    if (payload.size() < pointer_bytes + 4) return;
    const auto at = processes_.find(load<std::uint32_t>(payload.data() + pointer_bytes));
    if (at == processes_.end()) return;
    ProcessMemory& memory = at->second;
    memory.ended = true;
    memory.unfreed_bytes = 0;
    memory.committed = {};
  }

  void keep_stack(StackedEvent&& event) {
    if (event.frames.empty() || stacks_.size() >= kMaxStacks) return;
    const auto [at, is_new] = stack_numbers_.try_emplace(std::move(event.frames), stacks_.size());
    if (is_new) stacks_.push_back(&at->first);
    stack_of_[static_cast<std::uint32_t>(event.tag)] = at->second;
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
  std::uint64_t changes_ = 0;
  std::uint64_t over_limit_ = 0;
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

Json json_of(const MemoryUse& use, const SessionNames& names, const LogFileHeader& session,
             std::int64_t end) {
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
  Json leaks = Json::array();
  for (const Leak& leak : use.leaks()) {
    leaks.push_back({{"unfreed_bytes", leak.bytes},
                     {"process", process_text(names, leak.process, end)},
                     {"stack", stack_text(names, leak)}});
  }
  Json notes = Json::array();
  if (use.changes() == 0) {
    notes.push_back(
        "the trace has no VirtualAlloc and VirtualFree events; record with the kernel flag "
        "VIRT_ALLOC, and its stacks");
  }
  if (use.over_limit() != 0) {
    notes.push_back(fmt::format("{} events are beyond what is kept at once", use.over_limit()));
  }
  return {{"session_name", session.session_name},
          {"notes", notes},
          {"processes", processes},
          {"unfreed", leaks}};
}

std::string text_of(const Json& json, std::size_t max_rows) {
  std::string out = fmt::format("session {}\n", printable(json["session_name"].get<std::string>()));
  for (const Json& note : json["notes"]) out += "note: " + note.get<std::string>() + "\n";
  append_json_table("committed memory, by process", json["processes"], max_rows, out);
  append_json_table("not freed, by stack (innermost first)", json["unfreed"], max_rows, out);
  return out;
}

StackKeys keys_in(const std::vector<const TraceFile*>& files) {
  StackKeys keys;
  TraceReader reader(files, ReadOrder::file);
  while (const Record* record = reader.next()) {
    keys.add(*record, decode_header(*record));
  }
  keys.sort();
  return keys;
}

}  // namespace

void report_memory(const std::vector<const TraceFile*>& files, TextFormat format,
                   std::size_t max_rows, const TextSink& sink) {
  const TraceNames names(files);
  const StackKeys keys = keys_in(files);
  TraceReader reader(files, ReadOrder::time);
  std::unique_ptr<MemoryUse> use;
  const LogFileHeader* session = nullptr;
  std::int64_t last = 0;
  const auto finish = [&] {
    if (!use) return true;
    use->finish();
    const Json json = json_of(*use, names.of(*session), *session, last);
    return sink(format == TextFormat::json
                    ? json_text(json.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n"
                    : text_of(json, max_rows));
  };
  while (const Record* record = reader.next()) {
    if (session != &reader.header()) {
      if (!finish()) return;
      session = &reader.header();
      use = std::make_unique<MemoryUse>(keys);
    }
    use->add(*record, decode_header(*record), reader.clock().elapsed_ns(record->time));
    last = record->time;
  }
  finish();
}

}  // namespace tailgate::etl
