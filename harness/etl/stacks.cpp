#include "harness/etl/stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "harness/base/quoting.h"
#include "harness/etl/event_filter.h"
#include "harness/etl/kernel_activity.h"
#include "harness/etl/module_reader.h"
#include "harness/etl/stack_join.h"
#include "harness/etl/symbols.h"
#include "harness/etl/trace_names.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {
namespace {

// Together these take some 50 MB at most. What is beyond them is counted.
constexpr std::size_t kMaxStacks = 1u << 16;
constexpr std::size_t kMaxFrames = 1u << 20;
constexpr std::size_t kMaxTexts = 1u << 17;
constexpr std::size_t kMaxTextBytes = 16u << 20;
constexpr std::uint32_t kNoText = 0xFFFF'FFFF;

// Texts that many stacks share, by number.
class Texts {
 public:
  // The text's number; kNoText when there is no room for a new one.
  std::uint32_t number_of(std::string_view text) {
    const auto known = numbers_.find(text);
    if (known != numbers_.end()) return known->second;
    if (texts_.size() == kMaxTexts || bytes_ + text.size() > kMaxTextBytes) return kNoText;
    bytes_ += text.size();
    const auto number = static_cast<std::uint32_t>(texts_.size());
    numbers_.emplace(texts_.emplace_back(text), number);
    return number;
  }
  const std::string& operator[](std::uint32_t number) const { return texts_[number]; }

 private:
  std::deque<std::string> texts_;  // which does not move them
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::size_t bytes_ = 0;
};

// A process, an event's name and its frames, innermost first: numbers of texts.
using Stack = std::vector<std::uint32_t>;

// Which places in images the texts of frames are, for the names of functions. A process's images on
// one clock say nothing of another.
class FunctionNames {
 public:
  explicit FunctionNames(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The frames from here on are of that clock.
  void begin_clock(const std::vector<const TraceFile*>& files, std::size_t clock) {
    Clock& one = clocks_.emplace_back();
    one.modules = modules_in(files, clock);
    one.frames.number_of({0, Profile::kNoModule}, kMaxTexts);
  }

  // A text that this place alone has; nothing when there is no room for it.
  std::optional<std::string> own_text(std::uint32_t process, std::uint64_t address,
                                      std::string_view text) {
    Clock& one = clocks_.back();
    const Modules::Place place = one.modules.place_of(process, address);
    const auto frame = one.frames.number_of({place.offset, place.module}, kMaxTexts);
    if (!frame) return std::nullopt;
    return fmt::format("{}{}{}{}{}", text, kMark, clocks_.size() - 1, kMark, *frame);
  }

  void read() {
    for (Clock& one : clocks_) one.named = name_frames(one.modules, one.frames, folder_);
  }

  // The name of the function of a text of own_text(), else the text that was given.
  std::string shown(const std::string& own) const {
    const std::size_t mark = own.rfind(kMark);
    if (mark == std::string::npos) return own;
    const std::size_t first_mark = own.rfind(kMark, mark - 1);
    const Clock& one = clocks_.at(std::stoul(own.substr(first_mark + 1)));
    const std::uint32_t function = one.named.by_frame.at(std::stoul(own.substr(mark + 1)));
    return function == Profile::kNoFunction
               ? own.substr(0, first_mark)
               : function_text(one.modules, one.named.functions[function]);
  }

  std::string unused() const {
    std::string all;
    for (const Clock& one : clocks_) {
      const std::string more = unused_symbols(one.modules, one.named.modules);
      if (!all.empty() && !more.empty()) all += '\n';
      all += more;
    }
    return all;
  }

 private:
  static constexpr char kMark = '\x01';  // followed by the clock's number, and by the frame's

  struct Clock {
    Modules modules;
    FrameTable frames;
    NamedFrames named;
  };

  std::filesystem::path folder_;
  std::deque<Clock> clocks_;
};

class EventStacks {
 public:
  EventStacks(const std::vector<const TraceFile*>& files, Decoder& decoder,
              const EventFilter& filter, const std::optional<std::filesystem::path>& symbols)
      : files_(files),
        decoder_(decoder),
        matcher_(filter),
        names_(files),
        keys_(stack_keys_in(files)) {
    if (symbols) functions_.emplace(*symbols);
  }

  void read() {
    for (const auto& [session, keys] : keys_) over_limit_ += keys.over_limit();
    TraceReader reader(files_, ReadOrder::time);
    while (const Record* record = reader.next()) {
      if (session_ != &reader.header()) begin_session(reader);
      kernel_->add(*record);
      add(*record, reader.clock());
    }
    end_session();
    if (functions_) name_functions();
  }

  std::string unused_symbols() const { return functions_ ? functions_->unused() : std::string(); }
  std::uint64_t events() const { return events_; }
  std::uint64_t with_stack() const { return with_stack_; }
  std::uint64_t over_limit() const { return over_limit_; }
  std::uint64_t cut_short() const { return cut_short_; }
  const std::map<Stack, std::uint64_t>& stacks() const { return stacks_; }
  const std::string& text(std::uint32_t number) const { return texts_[number]; }
  std::string why_nothing() const { return matcher_.why_nothing(); }

 private:
  // Frames of one function become one, and so do stacks.
  void name_functions() {
    functions_->read();
    std::map<Stack, std::uint64_t> named;
    for (const auto& [stack, count] : stacks_) {
      Stack shown = {stack[0], stack[1]};
      for (std::size_t i = 2; i < stack.size(); ++i) {
        const std::uint32_t text = texts_.number_of(functions_->shown(texts_[stack[i]]));
        shown.push_back(text == kNoText ? stack[i] : text);
      }
      named[std::move(shown)] += count;
    }
    stacks_ = std::move(named);
  }

  void begin_session(const TraceReader& reader) {
    end_session();
    session_ = &reader.header();
    session_names_ = &names_.of(*session_);
    if (functions_) functions_->begin_clock(files_, clock_);
    ++clock_;
    kernel_ = std::make_unique<KernelActivity>(*session_, reader.clock());
    joiner_ = std::make_unique<StackJoiner>(keys_.at(session_),
                                            [this](StackedEvent&& event) { count(event); });
  }

  void end_session() {
    if (!joiner_) return;
    joiner_->finish_all();
    cut_short_ += joiner_->cut_short();
  }

  void add(const Record& record, const SessionClock& clock) {
    if (joiner_->add_part(record, decode_header(record))) return;
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
    joiner_->add({record.time,
                  clock.elapsed_ns(record.time),
                  header.process_id,
                  header.thread_id,
                  texts_.number_of(event_.event_name),
                  0,
                  {}},
                 header);
  }

  void count(const StackedEvent& event) {
    if (event.frames.empty()) return;
    ++with_stack_;
    const bool known = event.process != RecordHeader::kNoId;
    const std::string_view name =
        known ? session_names_->process(event.process, event.time) : std::string_view();
    Stack stack = {texts_.number_of(known ? fmt::format("{} ({})", name.empty() ? "unknown" : name,
                                                        event.process)
                                          : "unknown"),
                   static_cast<std::uint32_t>(event.tag)};
    for (std::uint64_t address : event.frames) {
      std::string frame = session_names_->image(event.process, address);
      if (frame.empty()) frame = fmt::format("{:#x}", address);
      if (functions_) frame = functions_->own_text(event.process, address, frame).value_or(frame);
      stack.push_back(texts_.number_of(frame));
    }
    count(std::move(stack));
  }

  void count(Stack&& stack) {
    if (std::find(stack.begin(), stack.end(), kNoText) != stack.end()) {
      ++over_limit_;
      return;
    }
    const auto counted = stacks_.find(stack);
    if (counted != stacks_.end()) {
      ++counted->second;
    } else if (stacks_.size() < kMaxStacks && frames_ + stack.size() <= kMaxFrames) {
      frames_ += stack.size();
      stacks_.emplace(std::move(stack), 1);
    } else {
      ++over_limit_;
    }
  }

  const std::vector<const TraceFile*>& files_;
  Decoder& decoder_;
  FilterMatcher matcher_;
  TraceNames names_;
  const KeysOfSessions keys_;
  std::optional<FunctionNames> functions_;  // where symbols were asked for
  std::unique_ptr<StackJoiner> joiner_;
  std::unique_ptr<KernelActivity> kernel_;
  const LogFileHeader* session_ = nullptr;
  std::size_t clock_ = 0;  // of the next session
  const SessionNames* session_names_ = nullptr;
  DecodedEvent event_;
  Texts texts_;
  std::map<Stack, std::uint64_t> stacks_;
  std::size_t frames_ = 0;  // of all stacks_
  std::uint64_t over_limit_ = 0;
  std::uint64_t cut_short_ = 0;
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
  for (const auto& [stack, count] : stacks.stacks()) {
    out += frame_text(stacks.text(stack[0]));
    for (std::size_t i = stack.size(); i > 2; --i)
      out += ';' + frame_text(stacks.text(stack[i - 1]));
    out += fmt::format(";{} {}\n", frame_text(stacks.text(stack[1])), count);
    if (out.size() < kFlushBytes) continue;
    if (!sink(out)) return;
    out.clear();
  }
  sink(out);
}

void write_text(const EventStacks& stacks, std::size_t max_rows, const TextSink& sink) {
  std::vector<std::pair<const Stack*, std::uint64_t>> rows;
  for (const auto& [stack, count] : stacks.stacks()) rows.emplace_back(&stack, count);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out =
      fmt::format("events: {}, {} with a stack\n", stacks.events(), stacks.with_stack());
  for (std::size_t i = 0; i < rows.size() && i < max_rows; ++i) {
    const auto& [stack, count] = rows[i];
    out += fmt::format("\n{:>10}  {} in {}\n", count, printable(stacks.text((*stack)[1])),
                       printable(stacks.text((*stack)[0])));
    for (std::size_t frame = 2; frame < stack->size(); ++frame) {
      out += fmt::format("            {}\n", printable(stacks.text((*stack)[frame])));
    }
  }
  if (rows.size() > max_rows) out += fmt::format("\n... {} more\n", rows.size() - max_rows);
  sink(out);
}

std::string what_is_missing(const EventStacks& stacks) {
  if (stacks.over_limit() != 0) {
    return fmt::format("{} stacks were left out: too many different ones; choose fewer events",
                       stacks.over_limit());
  }
  if (stacks.cut_short() != 0) {
    return fmt::format(
        "{} stacks lack a part, which came after too many events; choose fewer events",
        stacks.cut_short());
  }
  if (stacks.events() == 0) return stacks.why_nothing();
  if (stacks.with_stack() != 0) return {};
  return "no event that passes has a stack; record with stacks (-stackwalk of xperf, <Stacks> of "
         "a WPR profile)";
}

}  // namespace

std::string report_stacks(const std::vector<const TraceFile*>& files, Decoder& decoder,
                          const EventFilter& filter, const StacksOptions& options,
                          const TextSink& sink) {
  EventStacks stacks(files, decoder, filter, options.symbols);
  stacks.read();
  if (options.format == StacksFormat::folded) {
    write_folded(stacks, sink);
  } else {
    write_text(stacks, options.max_rows, sink);
  }
  const std::string unused = stacks.unused_symbols();
  const std::string missing = what_is_missing(stacks);
  return unused + (unused.empty() || missing.empty() ? "" : "\n") + missing;
}

}  // namespace tailgate::etl
