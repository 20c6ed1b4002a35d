#include "harness/etl/spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <limits>
#include <span>

#include "harness/base/error.h"
#include "harness/etl/event_filter.h"
#include "harness/etl/text.h"
#include "harness/etl/value_text.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxKinds = 4096;
constexpr std::size_t kMaxSpanNameBytes = 256;
constexpr std::size_t kMaxKeyBytes = 64;
constexpr std::size_t kMaxOpen = 131'072;
constexpr std::size_t kMaxSpanSlots = 1u << 20;

// winmeta.xml: win:Start and win:Stop.
constexpr std::uint8_t kOpcodeStart = 1;
constexpr std::uint8_t kOpcodeStop = 2;

constexpr std::array<std::string_view, 4> kStartWords = {"Start", "Begin", "Enter", "Request"};
constexpr std::array<std::string_view, 5> kStopWords = {"Stop", "End", "Exit", "Leave", "Response"};

// The kernel's events that start and stop something which a field identifies. Sources: Microsoft's
// documentation of the classes DiskIo, Process_V2 and Thread_V2 ("Irp: I/O request packet ... use
// it to match" of DiskIo_TypeGroup2), and of TraceEvent's driver events for UniqMatchId.
struct KernelPair {
  std::uint16_t start;
  std::uint16_t stop;
  std::string_view name;
  std::string_view field;
};
constexpr KernelPair kKernelPairs[] = {
    {0x010C, 0x010A, "DiskIo/Read", "Irp"},
    {0x010D, 0x010B, "DiskIo/Write", "Irp"},
    {0x010F, 0x010E, "DiskIo/Flush", "Irp"},
    {0x0122, 0x0123, "DiskIo/DriverMajorFunction", "UniqMatchId"},
    {0x0134, 0x0135, "DiskIo/DriverCompleteRequest", "UniqMatchId"},
    {0x0301, 0x0302, "Process", "ProcessId"},
    {0x0501, 0x0502, "Thread", "TThreadId"},
};

// The same of events by their provider and id. Sources: Microsoft's documentation of the CLR's
// garbage collection events (Count of GCStart and GCEnd), and the public manifest of
// Microsoft-Windows-Kernel-Process.
struct EventPair {
  Guid provider;
  std::uint16_t start;
  std::uint16_t stop;
  std::string_view field;
};
const std::array kEventPairs = {
    EventPair{*parse_guid("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4"), 1, 2, "Count"},
    EventPair{*parse_guid("22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716"), 1, 2, "ProcessID"},
    EventPair{*parse_guid("22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716"), 3, 4, "ThreadID"},
};

std::string_view identifying_field(const RecordHeader& header) {
  for (const EventPair& pair : kEventPairs) {
    const bool one_of_them = header.id == pair.start || header.id == pair.stop;
    if (one_of_them && header.provider == pair.provider) return pair.field;
  }
  return {};
}

const KernelPair* kernel_pair(std::uint16_t hook) {
  for (const KernelPair& pair : kKernelPairs) {
    if (hook == pair.start || hook == pair.stop) return &pair;
  }
  return nullptr;
}

bool is_upper(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}

bool is_lower(char c) {
  return std::islower(static_cast<unsigned char>(c)) != 0;
}

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Whether the text ends in the word, and that is one: Start in "GCStart", "task_start" and "START",
// not in "Restart" or "RESTART".
bool ends_in_word(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  const std::size_t at = text.size() - word.size();
  const std::string_view end = text.substr(at);
  if (!equal_but_for_case(end, word)) return false;
  if (at == 0 || !is_alnum(text[at - 1])) return true;
  return is_upper(end[0]) && (is_lower(end[1]) || !is_upper(text[at - 1]));
}

// The text without one of the words at its end, and without what separates it; the text when it
// ends in none.
std::string_view without_word(std::string_view text, std::span<const std::string_view> words) {
  for (std::string_view word : words) {
    if (!ends_in_word(text, word)) continue;
    text.remove_suffix(word.size());
    while (!text.empty() && !is_alnum(text.back()) && text.back() != ')') text.remove_suffix(1);
    break;
  }
  return text;
}

}  // namespace

std::optional<SpanSide> span_side(std::string_view event_name) {
  for (const bool starts : {true, false}) {
    const auto words = starts ? std::span<const std::string_view>(kStartWords)
                              : std::span<const std::string_view>(kStopWords);
    std::string_view name = without_word(event_name, words);
    if (name.size() == event_name.size()) continue;
    // "ProcessStart/Start" and "ProcessStop/Stop" are of one span.
    return SpanSide{starts, without_word(name, words)};
  }
  return std::nullopt;
}

Spans::Spans(const SpanOptions& options) : options_(options) {
  by_ = options.by == "auto"       ? By::automatic
        : options.by == "activity" ? By::activity
        : options.by == "thread"   ? By::thread
        : options.by == "process"  ? By::process
                                   : By::field;
  for (const std::string& pair : options.pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size()) {
      throw Error(fmt::format("the pair '{}' does not name two events", pair),
                  "write the start's and the stop's name or id, such as TaskBegin=TaskDone");
    }
  }
}

void Spans::find_sides(const Record& record, const DecodedEvent& event) {
  sides_.clear();
  if (!options_.pairs.empty()) return find_named_sides(event);
  const RecordHeader& header = event.header;
  const std::string_view provider = event.provider_name;
  if (header.is_kernel()) {
    if (const KernelPair* pair = kernel_pair(header.hook_id)) {
      const bool starts = header.hook_id == pair->start;
      sides_.push_back({kind_of(provider, pair->name), starts, pair->field});
      return;
    }
  }
  if (const auto side = span_side(event.event_name)) {
    // What existed before the trace and still exists at its end is no span.
    if (ends_in_word(side->name, "DC")) return;
    const std::string_view name = side->name.empty() ? "(unnamed)" : side->name;
    sides_.push_back({kind_of(provider, name), side->starts, identifying_field(header)});
    return;
  }
  const bool by_opcode = record.kind == RecordKind::event &&
                         (header.opcode == kOpcodeStart || header.opcode == kOpcodeStop);
  if (!by_opcode) return;
  if (event.schema == nullptr) name_ = fmt::format("Task({})", header.task);
  const std::string_view name = event.schema == nullptr ? name_ : event.event_name;
  sides_.push_back(
      {kind_of(provider, name), header.opcode == kOpcodeStart, identifying_field(header)});
}

void Spans::find_named_sides(const DecodedEvent& event) {
  for (const std::string& pair : options_.pairs) {
    const std::size_t equals = pair.find('=');
    const std::string_view start = std::string_view(pair).substr(0, equals);
    const std::string_view stop = std::string_view(pair).substr(equals + 1);
    if (is_named(event, stop)) sides_.push_back({kind_of("", pair), false, {}});
    if (is_named(event, start)) sides_.push_back({kind_of("", pair), true, {}});
  }
}

std::uint32_t Spans::kind_of(std::string_view provider, std::string_view name) {
  provider = provider.substr(0, kMaxSpanNameBytes);
  name = name.substr(0, kMaxSpanNameBytes);
  if (kinds_.size() == kMaxKinds) {
    kind_key_.assign(provider).append(1, '\0').append(name);
    auto known = kind_numbers_.find(kind_key_);
    if (known != kind_numbers_.end()) return known->second;
    provider = {};
    name = "(more than 4096 kinds of spans)";
  }
  kind_key_.assign(provider).append(1, '\0').append(name);
  auto [at, is_new] =
      kind_numbers_.try_emplace(kind_key_, static_cast<std::uint32_t>(kinds_.size()));
  if (is_new) {
    SpanKind& kind = kinds_.emplace_back();
    kind.provider = provider;
    kind.name = name;
  }
  return at->second;
}

bool Spans::add_field_to_key(const DecodedEvent& event, std::string_view name) {
  for (const Field& field : event.fields) {
    if (field.kind != Field::Kind::value || !equal_but_for_case(field.name, name)) continue;
    key_.append(name).append(1, '=');
    const std::size_t from = key_.size();
    append_value(field, key_);
    if (key_.size() - from > kMaxKeyBytes) {
      const std::size_t hash = std::hash<std::string_view>()(std::string_view(key_).substr(from));
      key_.resize(from + kMaxKeyBytes);
      fmt::format_to(std::back_inserter(key_), "...{:x}", hash);
    }
    return true;
  }
  return false;
}

bool Spans::add_activity_to_key(const RecordHeader& header) {
  if (header.activity.is_zero()) return false;
  key_ += "activity=" + to_text(header.activity);
  return true;
}

bool Spans::add_thread_to_key(const RecordHeader& header) {
  if (header.thread_id == RecordHeader::kNoId) return false;
  nests_ = true;
  fmt::format_to(std::back_inserter(key_), "thread={}", header.thread_id);
  return true;
}

bool Spans::make_key(const DecodedEvent& event, const Side& side) {
  const RecordHeader& header = event.header;
  nests_ = false;
  key_.assign(reinterpret_cast<const char*>(&side.kind), sizeof side.kind);
  switch (by_) {
    case By::automatic:
      return (!side.field.empty() && add_field_to_key(event, side.field)) ||
             add_activity_to_key(header) || add_thread_to_key(header);
    case By::activity:
      return add_activity_to_key(header);
    case By::thread:
      return add_thread_to_key(header);
    case By::process:
      if (header.process_id == RecordHeader::kNoId) return false;
      fmt::format_to(std::back_inserter(key_), "process={}", header.process_id);
      return true;
    case By::field:
      return add_field_to_key(event, options_.by);
  }
  return false;
}

std::optional<Span> Spans::add_side(const DecodedEvent& event, const Side& side,
                                    std::int64_t time_ns) {
  SpanKind& kind = kinds_[side.kind];
  if (!make_key(event, side)) {
    ++kind.without_key;
    return std::nullopt;
  }
  if (!side.starts) return close(event, kind, time_ns);
  open(side.kind, time_ns);
  return std::nullopt;
}

void Spans::open(std::uint32_t kind, std::int64_t time_ns) {
  auto at = open_.find(key_);
  if (at != open_.end() && !nests_) {
    kinds_[kind].unmatched_starts += at->second.starts_ns.size();
    open_count_ -= at->second.starts_ns.size();
    at->second.starts_ns.clear();
  }
  if (open_count_ == kMaxOpen) {
    ++kinds_[kind].unmatched_starts;
    ++starts_over_limit_;
    return;
  }
  if (at == open_.end()) at = open_.try_emplace(key_, OpenSpans{kind, {}}).first;
  at->second.starts_ns.push_back(time_ns);
  ++open_count_;
}

std::optional<Span> Spans::close(const DecodedEvent& event, SpanKind& kind, std::int64_t time_ns) {
  auto at = open_.find(key_);
  if (at == open_.end()) {
    ++kind.unmatched_stops;
    return std::nullopt;
  }
  Span span{kind.provider,
            kind.name,
            at->second.starts_ns.back(),
            0,
            event.header.process_id,
            event.header.thread_id,
            std::string_view(key_).substr(sizeof(std::uint32_t))};
  at->second.starts_ns.pop_back();
  --open_count_;
  if (at->second.starts_ns.empty()) open_.erase(at);
  const std::uint64_t duration = duration_between(span.start_ns, time_ns);
  span.duration_ns = static_cast<std::int64_t>(
      std::min<std::uint64_t>(duration, std::numeric_limits<std::int64_t>::max()));
  if (kind.durations.count() == 0) {
    kind.first_start_ns = span.start_ns;
    kind.last_stop_ns = time_ns;
  }
  kind.first_start_ns = std::min(kind.first_start_ns, span.start_ns);
  kind.last_stop_ns = std::max(kind.last_stop_ns, time_ns);
  const std::size_t before = kind.durations.slots();
  kind.durations.record(duration, slots_ < kMaxSpanSlots);
  slots_ += kind.durations.slots() - before;
  return span;
}

std::uint64_t Spans::durations_over_limit() const {
  std::uint64_t sum = 0;
  for (const SpanKind& kind : kinds_) sum += kind.durations.in_no_slot();
  return sum;
}

void Spans::end_session() {
  for (const auto& [key, open] : open_) {
    kinds_[open.kind].unmatched_starts += open.starts_ns.size();
  }
  open_.clear();
  open_count_ = 0;
}

}  // namespace tailgate::etl
