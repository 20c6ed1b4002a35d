#include "harness/etl/stack_join.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "harness/etl/durations.h"
#include "harness/etl/event_fields.h"
#include "harness/etl/kernel_hooks.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kHeadBytes = 16;  // time, process and thread of the event

// Of all keys: 8 MB and 5 MB, and half as much again while they grow.
constexpr std::size_t kMaxKeyFrames = 1u << 20;
constexpr std::size_t kMaxDefinitions = 1u << 17;
constexpr std::size_t kMaxPending = 1u << 15;
constexpr std::size_t kMaxPendingFrames = 1u << 19;  // 4 MB

// An id that one side does not know says nothing.
bool same_id(std::uint32_t a, std::uint32_t b) {
  return a == RecordHeader::kNoId || b == RecordHeader::kNoId || a == b;
}

// Appends the addresses, as far as a stack has room for them.
void append_frames(Bytes bytes, unsigned pointer_bytes, std::vector<std::uint64_t>& frames) {
  frames.reserve(std::min(kMaxStackFrames, frames.size() + bytes.size() / pointer_bytes));
  for (std::size_t at = 0; at + pointer_bytes <= bytes.size() && frames.size() < kMaxStackFrames;
       at += pointer_bytes) {
    frames.push_back(pointer_at(bytes.data() + at, pointer_bytes));
  }
}

void append_frames(std::span<const std::uint64_t> part, std::vector<std::uint64_t>& frames) {
  part =
      part.first(std::min(part.size(), kMaxStackFrames - std::min(kMaxStackFrames, frames.size())));
  frames.insert(frames.end(), part.begin(), part.end());
}

}  // namespace

KeysOfSessions stack_keys_in(const std::vector<const TraceFile*>& files) {
  KeysOfSessions keys;
  TraceReader reader(files, ReadOrder::file);
  while (const Record* record = reader.next()) {
    keys[&reader.header()].add(*record, decode_header(*record));
  }
  for (auto& [session, of_session] : keys) of_session.sort();
  return keys;
}

void StackKeys::add(const Record& record, const RecordHeader& header) {
  const bool defines = header.is_kernel() && header.hook_id >= kHookStackKeyCreate &&
                       header.hook_id <= kHookStackKeyRundown;
  const unsigned pointer_bytes = record.pointer_bytes;
  if (!defines || header.payload.size() < pointer_bytes) return;
  const std::size_t first = frames_.size();
  const Bytes stack = header.payload.subspan(pointer_bytes);
  const std::size_t count = std::min(kMaxStackFrames, stack.size() / pointer_bytes);
  if (definitions_.size() == kMaxDefinitions || first + count > kMaxKeyFrames) {
    ++over_limit_;
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    frames_.push_back(pointer_at(stack.data() + i * pointer_bytes, pointer_bytes));
  }
  definitions_.push_back({pointer_at(header.payload.data(), pointer_bytes), record.time, first,
                          count, header.hook_id == kHookStackKeyCreate});
}

void StackKeys::sort() {
  std::stable_sort(definitions_.begin(), definitions_.end(),
                   [](const Definition& a, const Definition& b) {
                     return std::tie(a.key, a.time) < std::tie(b.key, b.time);
                   });
}

std::span<const std::uint64_t> StackKeys::find(std::uint64_t key, std::int64_t time) const {
  const auto at = std::lower_bound(definitions_.begin(), definitions_.end(), std::tie(key, time),
                                   [](const Definition& definition, const auto& wanted) {
                                     return std::tie(definition.key, definition.time) < wanted;
                                   });
  const auto stack_of = [this](const Definition& definition) {
    return std::span(frames_).subspan(definition.first, definition.count);
  };
  const bool is_key = at != definitions_.end() && at->key == key;
  if (is_key && (!at->begins || at->time == time)) return stack_of(*at);
  if (at == definitions_.begin() || std::prev(at)->key != key || !std::prev(at)->begins) return {};
  return stack_of(*std::prev(at));
}

void EarlyEvents::add(std::int64_t time, std::uint32_t thread) {
  constexpr std::size_t kMaxEvents = 1u << 16;
  if (events_.size() == kMaxEvents) events_.pop_front();
  events_.push_back({time, thread, false});
}

bool EarlyEvents::count(std::int64_t time, std::uint32_t thread) {
  auto at =
      std::lower_bound(events_.begin(), events_.end(), time,
                       [](const Event& event, std::int64_t wanted) { return event.time < wanted; });
  for (; at != events_.end() && at->time == time; ++at) {
    if (!same_id(at->thread, thread)) continue;
    if (!at->is_counted) ++counted_;
    at->is_counted = true;
    return true;
  }
  return false;
}

void StackJoiner::add(StackedEvent event, const RecordHeader& header) {
  constexpr std::size_t kMatchIdBytes = 8;  // before the frames or the key
  ExtendedCursor cursor(header.extended);
  ExtendedItem item;
  while (cursor.next(item)) {
    const bool narrow =
        item.type == ExtendedType::stack_trace32 || item.type == ExtendedType::stack_key32;
    const unsigned pointer_bytes = narrow ? 4 : 8;
    if (item.data.size() < kMatchIdBytes + pointer_bytes) continue;
    const Bytes data = item.data.subspan(kMatchIdBytes);
    if (item.type == ExtendedType::stack_trace32 || item.type == ExtendedType::stack_trace64) {
      append_frames(data, pointer_bytes, event.frames);
    } else if (item.type == ExtendedType::stack_key32 || item.type == ExtendedType::stack_key64) {
      append_frames(keys_.find(pointer_at(data.data(), pointer_bytes), event.time), event.frames);
    }
  }
  last_ns_ = event.time_ns;
  finish_before(event.time_ns);
  pending_frames_ += event.frames.size();
  pending_.push_back(std::move(event));
}

StackedEvent* StackJoiner::event_of(std::int64_t time, std::uint32_t process,
                                    std::uint32_t thread) {
  auto at = pending_.end();
  // Most stacks follow their event at once.
  for (int i = 0; i < 4 && at != pending_.begin() && std::prev(at)->time >= time; ++i) --at;
  if (at != pending_.begin() && std::prev(at)->time >= time) {
    at = std::lower_bound(
        pending_.begin(), at, time,
        [](const StackedEvent& event, std::int64_t wanted) { return event.time < wanted; });
  }
  for (; at != pending_.end() && at->time == time; ++at) {
    if (same_id(at->thread, thread) && same_id(at->process, process)) return &*at;
  }
  return nullptr;
}

bool StackJoiner::add_part(const Record& record, const RecordHeader& header) {
  const unsigned pointer_bytes = record.pointer_bytes;
  if (!header.is_kernel()) return false;
  const std::uint16_t hook = header.hook_id;
  const bool by_key = hook == kHookStackKeyKernel || hook == kHookStackKeyUser;
  if (hook != kHookStackWalk && !by_key) return false;
  const Bytes payload = header.payload;
  if (payload.size() < kHeadBytes + (by_key ? pointer_bytes : 0)) {
    ++of_others_;
    return true;
  }
  const auto process = load<std::uint32_t>(payload.data() + 8);
  const auto thread = load<std::uint32_t>(payload.data() + 12);
  StackedEvent* event = event_of(load<std::int64_t>(payload.data()), process, thread);
  if (event == nullptr) {
    if (!early_.count(load<std::int64_t>(payload.data()), thread)) ++of_others_;
    return true;
  }
  event->process = process;
  event->thread = thread;
  pending_frames_ -= event->frames.size();
  if (by_key) {
    append_frames(keys_.find(pointer_at(payload.data() + kHeadBytes, pointer_bytes), record.time),
                  event->frames);
  } else {
    append_frames(payload.subspan(kHeadBytes), pointer_bytes, event->frames);
  }
  pending_frames_ += event->frames.size();
  if (pending_frames_ > kMaxPendingFrames) finish_before(last_ns_);
  return true;
}

void StackJoiner::finish_before(std::int64_t time_ns) {
  while (!pending_.empty()) {
    const bool waited = duration_between(pending_.front().time_ns, time_ns) > kMaxStackWaitNs;
    const bool full = pending_.size() >= kMaxPending || pending_frames_ > kMaxPendingFrames;
    if (!waited && !full) return;
    if (!waited) early_.add(pending_.front().time, pending_.front().thread);
    finish_first();
  }
}

void StackJoiner::finish_all() {
  while (!pending_.empty()) finish_first();
}

void StackJoiner::finish_first() {
  pending_frames_ -= pending_.front().frames.size();
  finish_(std::move(pending_.front()));
  pending_.pop_front();
}

}  // namespace tailgate::etl
