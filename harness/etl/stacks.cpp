#include "harness/etl/stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "harness/base/quoting.h"
#include "harness/etl/event_filter.h"
#include "harness/etl/kernel_activity.h"
#include "harness/etl/stack_join.h"
#include "harness/etl/trace_names.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxStacks = 262'144;
constexpr std::size_t kMaxNames = 65'536;
constexpr std::size_t kFlushBytes = 256 * 1024;

// A process, the event's name and its frames, innermost first.
struct StackKey {
  std::string process;
  std::uint32_t name = 0;
  std::vector<std::string> frames;
  auto operator<=>(const StackKey&) const = default;
};

class EventStacks {
 public:
  EventStacks(const std::vector<const TraceFile*>& files, Decoder& decoder,
              const EventFilter& filter)
      : files_(files),
        decoder_(decoder),
        matcher_(filter),
        names_(files),
        joiner_(keys_, [this](StackedEvent&& event) { count(event); }) {}

  void read() {
    collect_keys();
    TraceReader reader(files_, ReadOrder::time);
    while (const Record* record = reader.next()) {
      if (session_ != &reader.header()) {
        joiner_.finish_all();
        session_ = &reader.header();
        session_names_ = &names_.of(*session_);
        kernel_ = std::make_unique<KernelActivity>(*session_, reader.clock());
      }
      kernel_->add(*record);
      add(*record, reader.clock());
    }
    joiner_.finish_all();
  }

  std::uint64_t events() const { return events_; }
  std::uint64_t with_stack() const { return with_stack_; }
  const std::map<StackKey, std::uint64_t>& stacks() const { return stacks_; }
  const std::string& event_name(std::uint32_t number) const { return event_names_[number]; }
  std::string why_nothing() const { return matcher_.why_nothing(); }

 private:
  void collect_keys() {
    TraceReader reader(files_, ReadOrder::file);
    while (const Record* record = reader.next()) {
      keys_.add(*record, decode_header(*record));
    }
    keys_.sort();
  }

  void add(const Record& record, const SessionClock& clock) {
    if (joiner_.add_part(record, decode_header(record))) return;
    if (!matcher_.time_matches(clock, record.time)) {
      if (events_ == 0) matcher_.note_time(clock, record.time);
      return;
    }
    decoder_.decode(record, event_);
    kernel_->attribute(record, event_.header);
    const EventView view{event_, record, clock, *session_, session_names_};
    if (!matcher_.matches(view)) {
      if (events_ == 0) matcher_.note(view);
      return;
    }
    ++events_;
    const RecordHeader& header = event_.header;
    joiner_.add({record.time,
                 clock.elapsed_ns(record.time),
                 header.process_id,
                 header.thread_id,
                 name_number(event_.event_name),
                 {}},
                header);
  }

  std::uint32_t name_number(std::string_view name) {
    if (event_names_.size() >= kMaxNames) return 0;
    const auto number = static_cast<std::uint32_t>(event_names_.size());
    const auto [at, is_new] = name_numbers_.try_emplace(std::string(name), number);
    if (is_new) event_names_.emplace_back(name);
    return at->second;
  }

  void count(const StackedEvent& event) {
    if (event.frames.empty()) return;
    ++with_stack_;
    StackKey key;
    const bool known = event.process != RecordHeader::kNoId;
    const std::string_view name =
        known ? session_names_->process(event.process, event.time) : std::string_view();
    key.process =
        known ? fmt::format("{} ({})", name.empty() ? "unknown" : name, event.process) : "unknown";
    key.name = static_cast<std::uint32_t>(event.tag);
    for (std::uint64_t address : event.frames) {
      std::string frame = session_names_->image(event.process, address);
      key.frames.push_back(frame.empty() ? fmt::format("{:#x}", address) : std::move(frame));
    }
    if (stacks_.size() < kMaxStacks || stacks_.contains(key)) ++stacks_[std::move(key)];
  }

  const std::vector<const TraceFile*>& files_;
  Decoder& decoder_;
  FilterMatcher matcher_;
  TraceNames names_;
  StackKeys keys_;
  StackJoiner joiner_;
  std::unique_ptr<KernelActivity> kernel_;
  const LogFileHeader* session_ = nullptr;
  const SessionNames* session_names_ = nullptr;
  DecodedEvent event_;
  std::unordered_map<std::string, std::uint32_t> name_numbers_;
  std::vector<std::string> event_names_;
  std::map<StackKey, std::uint64_t> stacks_;
  std::uint64_t events_ = 0;
  std::uint64_t with_stack_ = 0;
};

// A frame of a folded stack may hold no semicolon.
std::string frame_text(std::string_view frame) {
  std::string text = printable(frame);
  std::replace(text.begin(), text.end(), ';', ',');
  return text;
}

void write_folded(const EventStacks& stacks, const TextSink& sink) {
  std::string out;
  for (const auto& [key, count] : stacks.stacks()) {
    out += frame_text(key.process);
    for (auto frame = key.frames.rbegin(); frame != key.frames.rend(); ++frame) {
      out += ';' + frame_text(*frame);
    }
    out += fmt::format(";{} {}\n", frame_text(stacks.event_name(key.name)), count);
    if (out.size() < kFlushBytes) continue;
    if (!sink(out)) return;
    out.clear();
  }
  sink(out);
}

void write_text(const EventStacks& stacks, std::size_t max_rows, const TextSink& sink) {
  std::vector<std::pair<const StackKey*, std::uint64_t>> rows;
  for (const auto& [key, count] : stacks.stacks()) rows.emplace_back(&key, count);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out =
      fmt::format("events: {}, {} with a stack\n", stacks.events(), stacks.with_stack());
  for (std::size_t i = 0; i < rows.size() && i < max_rows; ++i) {
    const auto& [key, count] = rows[i];
    out += fmt::format("\n{:>10}  {} in {}\n", count, printable(stacks.event_name(key->name)),
                       printable(key->process));
    for (const std::string& frame : key->frames) {
      out += fmt::format("            {}\n", printable(frame));
    }
  }
  if (rows.size() > max_rows) out += fmt::format("\n... {} more\n", rows.size() - max_rows);
  sink(out);
}

}  // namespace

std::string report_stacks(const std::vector<const TraceFile*>& files, Decoder& decoder,
                          const EventFilter& filter, StacksFormat format, std::size_t max_rows,
                          const TextSink& sink) {
  EventStacks stacks(files, decoder, filter);
  stacks.read();
  if (format == StacksFormat::folded) {
    write_folded(stacks, sink);
  } else {
    write_text(stacks, max_rows, sink);
  }
  if (stacks.events() == 0) return stacks.why_nothing();
  if (stacks.with_stack() != 0) return {};
  return "no event that passes has a stack; record with stacks (-stackwalk of xperf, <Stacks> of "
         "a WPR profile)";
}

}  // namespace tailgate::etl
