#include "harness/etl/to_perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "harness/base/error.h"
#include "harness/etl/event_filter.h"
#include "harness/etl/event_stream.h"
#include "harness/etl/field_value.h"
#include "harness/etl/kernel_hooks.h"
#include "harness/etl/no_processor.h"
#include "harness/etl/spans.h"
#include "harness/etl/text.h"
#include "harness/etl/thread_slices.h"
#include "harness/etl/time_zone.h"
#include "harness/etl/trace_event_file.h"
#include "harness/etl/value_text.h"
#include "harness/os/process.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxTracks = 131'072;

// No process of Windows has the number of the processors' tracks, but a log may name it: it counts
// as unknown.
std::uint32_t process_track(std::uint32_t process) {
  return process == kProcessorsTrack ? 0 : process;
}

// Where something of a process is shown; what is of none is the processors'.
std::uint32_t process_or_processors(std::uint32_t process) {
  return process == RecordHeader::kNoId ? kProcessorsTrack : process_track(process);
}

// What the records of a session say about threads, processes and images, wherever they say it.
struct SessionFacts {
  std::unique_ptr<KernelActivity> kernel;
  std::unordered_map<std::uint32_t, std::uint32_t> processes;  // of threads, by the first record
};

bool names_something(const Record& record) {
  if (record.kind == RecordKind::full) return true;
  const bool kernel = record.kind == RecordKind::perf_info || record.kind == RecordKind::system ||
                      record.kind == RecordKind::compact;
  if (!kernel) return false;
  const std::uint16_t hook = hook_id(record);
  const unsigned group = hook >> 8;
  return group == 0x03 || group == 0x14 || hook == kHookThreadSetName ||
         (hook >= kHookThreadStart && hook <= kHookThreadRundownEnd);
}

// The thread and its process of the records that tell them.
std::optional<std::pair<std::uint32_t, std::uint32_t>> thread_in(const RecordHeader& header) {
  const bool tells = header.is_kernel() && header.hook_id >= kHookThreadStart &&
                     header.hook_id <= kHookThreadRundownEnd && header.payload.size() >= 8;
  if (!tells) return std::nullopt;
  return std::pair(load<std::uint32_t>(header.payload.data() + 4),
                   load<std::uint32_t>(header.payload.data()));
}

std::vector<SessionFacts> names_in(const std::vector<const TraceFile*>& files) {
  std::vector<SessionFacts> sessions;
  const LogFileHeader* session = nullptr;
  TraceReader reader(files, ReadOrder::time);
  while (const Record* record = InterruptFlag::raised() ? nullptr : reader.next()) {
    if (session != &reader.header()) {
      session = &reader.header();
      sessions.emplace_back().kernel = std::make_unique<KernelActivity>(*session, reader.clock());
    }
    if (!names_something(*record)) continue;
    SessionFacts& names = sessions.back();
    names.kernel->add(*record);
    const auto thread = thread_in(decode_header(*record));
    if (thread && names.processes.size() < kMaxTracks) names.processes.insert(*thread);
  }
  return sessions;
}

struct Counter {
  std::string event;
  EventPath field;
  std::string name;
};

std::vector<Counter> parse_counters(const std::vector<std::string>& texts) {
  std::vector<Counter> counters;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      throw Error(fmt::format("the counter '{}' names no field of an event", text),
                  "write the event's name or id and its field, such as "
                  "GCHeapStats=GenerationSize0");
    }
    const std::string event = text.substr(0, equals);
    const std::string field = text.substr(equals + 1);
    counters.push_back({event, EventPath::parse(field), event + " " + field});
  }
  return counters;
}

class Exporter {
 public:
  Exporter(std::vector<SessionFacts> names, std::vector<Counter> counters, TraceEventFile& file)
      : names_(std::move(names)), counters_(std::move(counters)), file_(file) {}

  void add(const EventStream& events) {
    if (session_ != events.session_number() || slices_ == nullptr) begin_session(events);
    time_ns_ = on_track(events.elapsed_ns());
    last_ns_ = std::max(last_ns_, time_ns_);
    const RecordHeader& header = events.event().header;
    if (const auto thread = thread_in(header)) note_thread(header, *thread);
    add_processor_counters(events);
    if (!header.is_kernel() || !add_kernel(events)) add_event(events);
    spans_->add(events.record(), events.event(), time_ns_,
                [this](const Span& span) { add_span(span); });
  }

  PerfettoCounts finish() {
    end_session();
    write_names();
    return std::move(counts_);
  }

 private:
  void begin_session(const EventStream& events) {
    end_session();
    session_ = events.session_number();
    const std::int64_t start = events.session().start_filetime;
    if (first_start_ == std::nullopt) first_start_ = start;
    // Sessions come in order of their starts.
    constexpr std::int64_t kMaxApart = 10'000LL * 86'400 * kFiletimeTicksPerSecond;
    const auto apart = static_cast<std::int64_t>(static_cast<std::uint64_t>(start) -
                                                 static_cast<std::uint64_t>(*first_start_));
    offset_ns_ = 100 * std::clamp<std::int64_t>(apart, 0, kMaxApart);
    last_ns_ = offset_ns_;
    thread_processes_.clear();
    slices_ = std::make_unique<ThreadSlices>(
        file_, [this](std::uint32_t thread) { return process_of(thread); },
        [this](std::uint32_t thread) { return title_of(thread); });
    spans_ = std::make_unique<Spans>(span_options_);
  }

  // Times of a damaged trace may be any; none may overflow when they are added.
  std::int64_t on_track(std::int64_t elapsed_ns) const {
    constexpr std::int64_t kMax = std::int64_t{1} << 61;
    return offset_ns_ + std::clamp(elapsed_ns, -kMax, kMax);
  }

  void end_session() {
    if (slices_ == nullptr) return;
    slices_->end(last_ns_);
    counts_.slices += slices_->slices();
    counts_.broken_runs += slices_->broken();
    counts_.waits_over_limit += slices_->over_limit();
    slices_.reset();
  }

  void note_thread(const RecordHeader& header, std::pair<std::uint32_t, std::uint32_t> thread) {
    if (thread_processes_.size() < kMaxTracks) thread_processes_[thread.first] = thread.second;
    if (header.hook_id == kHookThreadEnd) slices_->add_end_of_thread(thread.first);
  }

  std::uint32_t process_of(std::uint32_t thread) const {
    if (const auto at = thread_processes_.find(thread); at != thread_processes_.end()) {
      return process_track(at->second);
    }
    const auto at = names_[session_].processes.find(thread);
    return at == names_[session_].processes.end() ? 0 : process_track(at->second);
  }

  std::string title_of(std::uint32_t thread) {
    const std::uint32_t process = process_of(thread);
    note_track({process, thread});
    const std::string& name = name_of_process(process);
    const std::string& own = names_[session_].kernel->timeline().thread_name(thread);
    return fmt::format("{}{}{} [{}]", name.empty() ? "?" : name, own.empty() ? "" : ", ", own,
                       thread);
  }

  const std::string& name_of_process(std::uint32_t process) {
    if (process_names_.empty()) {
      for (const SessionFacts& names : names_) {
        for (const activity::ProcessUse& use : names.kernel->timeline().processes()) {
          if (!use.name.empty()) process_names_[use.process] = use.name;
        }
      }
      // Of threads whose process is in no record. What the idle process does is on no track of its
      // own.
      process_names_[0] = "unknown process";
    }
    static const std::string kNone;
    const auto at = process_names_.find(process);
    return at == process_names_.end() ? kNone : at->second;
  }

  // Remembers the track for its name.
  Track note_track(const Track& track) {
    if (track.process == kProcessorsTrack) {
      const std::uint32_t thread = track.thread.value_or(0);
      if (thread >= 1 && thread <= 2 * kMaxProcessors) processor_tracks_.insert(thread);
    } else if (tracks_.size() < kMaxTracks) {
      const std::uint64_t thread = track.thread ? *track.thread : RecordHeader::kNoId;
      tracks_.insert(std::uint64_t{track.process} << 32 | thread);
    }
    return track;
  }

  Track track_of(const EventStream& events) {
    const RecordHeader& header = events.event().header;
    constexpr std::uint32_t kNoId = RecordHeader::kNoId;
    const bool idle = header.thread_id == 0 && header.process_id == 0;
    if (idle || header.process_id == kNoId) {
      if (events.record().processor == kNoProcessor) return {kProcessorsTrack, std::nullopt};
      return note_track(
          interrupt_track(std::min<std::uint32_t>(events.record().processor, kMaxProcessors - 1)));
    }
    const std::uint32_t process = process_track(header.process_id);
    if (header.thread_id == kNoId) return note_track({process, std::nullopt});
    return note_track({process, header.thread_id});
  }

  // Writes what is more than an event; false for events that are no more.
  bool add_kernel(const EventStream& events) {
    const RecordHeader& header = events.event().header;
    const std::uint32_t processor = events.record().processor;
    switch (header.hook_id) {
      case kHookContextSwitch:
        note_track(run_track(std::min(processor, kMaxProcessors - 1)));
        slices_->add_switch(processor, header.payload, time_ns_);
        return true;
      case kHookReadyThread:
        slices_->add_ready(header.payload, time_ns_);
        return false;
      case kHookSampledProfile:
        return add_sample(events);
      case kHookDpc:
      case kHookTimerDpc:
      case kHookThreadedDpc:
      case kHookIsr:
      case kHookIsrMsi:
        return add_interrupt(events);
      default:
        break;
    }
    const bool stack = header.hook_id == kHookStackWalk || (header.hook_id >= kHookStackKeyCreate &&
                                                            header.hook_id <= kHookStackKeyUser);
    counts_.stack_walks += stack ? 1 : 0;
    return stack;
  }

  bool add_sample(const EventStream& events) {
    const RecordHeader& header = events.event().header;
    const std::size_t pointer = events.record().pointer_bytes;
    if (header.payload.size() < pointer) return false;
    std::uint64_t address = 0;
    std::memcpy(&address, header.payload.data(), pointer);
    const auto& timeline = names_[session_].kernel->timeline();
    arguments_ =
        fmt::format("{{\"address\":\"{:#x}\",\"cpu\":{}}}", address, events.record().processor);
    file_.instant(track_of(events), time_ns_,
                  {timeline.symbol(header.process_id, address), "sample", arguments_});
    ++counts_.samples;
    return true;
  }

  bool add_interrupt(const EventStream& events) {
    const RecordHeader& header = events.event().header;
    const std::size_t pointer = events.record().pointer_bytes;
    if (header.payload.size() < 8 + pointer) return false;
    const std::int64_t begin_ns =
        on_track(events.view().clock.elapsed_ns(load<std::int64_t>(header.payload.data())));
    if (begin_ns > time_ns_) return false;
    std::uint64_t routine = 0;
    std::memcpy(&routine, header.payload.data() + 8, pointer);
    const bool hardware = header.hook_id == kHookIsr || header.hook_id == kHookIsrMsi;
    const std::string name =
        (hardware ? "ISR " : "DPC ") + names_[session_].kernel->timeline().symbol(0, routine);
    const Track track = note_track(
        interrupt_track(std::min<std::uint32_t>(events.record().processor, kMaxProcessors - 1)));
    file_.slice(track, begin_ns, time_ns_, {name, "interrupt", "{}"});
    ++counts_.slices;
    return true;
  }

  void add_event(const EventStream& events) {
    const DecodedEvent& event = events.event();
    arguments_.clear();
    const bool whole = append_fields_json(event.fields, arguments_);
    std::string more;
    if (!event.message.empty()) {
      more += ",\"message\":";
      append_json_string(event.message, more);
    }
    if (!event.header.activity.is_zero()) {
      more += fmt::format(",\"activity\":\"{}\"", to_text(event.header.activity));
    }
    text_.clear();
    append_misfits(event, whole && event.complete, " ", text_);
    if (!text_.empty()) {
      more += ",\"misfit\":";
      append_json_string(std::string_view(text_).substr(1), more);
    }
    if (!more.empty()) {
      arguments_.pop_back();  // the closing brace
      arguments_.append(more, arguments_.size() == 1 ? 1 : 0).append(1, '}');
    }
    file_.instant(track_of(events), time_ns_, {event.event_name, event.provider_name, arguments_});
    ++counts_.events;
    add_counters(events);
  }

  void add_counter(std::uint32_t process, std::string_view name, const Number& number) {
    if (!std::isfinite(number.real())) {  // JSON has no such numbers
      ++counts_.counters_not_finite;
      return;
    }
    if (const auto whole = number.as_signed(); whole && !number.is_real()) {
      file_.counter(process, time_ns_, name, std::to_string(*whole));
    } else {
      file_.counter(process, time_ns_, name, fmt::format("{}", number.real()));
    }
    ++counts_.counters;
  }

  void add_counters(const EventStream& events) {
    const DecodedEvent& event = events.event();
    const std::uint32_t process = process_or_processors(event.header.process_id);
    for (const Counter& counter : counters_) {
      if (!is_named(event, counter.event)) continue;
      counter.field.any_value(events.view(), [&](const PathValue& value) {
        if (const auto number = value.number()) add_counter(process, counter.name, *number);
        return false;
      });
    }
    if (equal_but_for_case(event.event_name, "EventCounters")) add_event_counter(events, process);
  }

  // .NET's counters. Source of the fields: Microsoft's documentation of EventCounters.
  void add_event_counter(const EventStream& events, std::uint32_t process) {
    static const EventPath kName = EventPath::parse("Payload.Name");
    static const EventPath kMean = EventPath::parse("Payload.Mean");
    static const EventPath kIncrement = EventPath::parse("Payload.Increment");
    text_.clear();
    if (!kName.append_text(events.view(), text_)) return;
    for (const EventPath* path : {&kMean, &kIncrement}) {
      path->any_value(events.view(), [&](const PathValue& value) {
        if (const auto number = value.number()) add_counter(process, text_, *number);
        return false;
      });
    }
  }

  // Counts that the processor made before the record.
  void add_processor_counters(const EventStream& events) {
    const Bytes counters = events.event().header.counters;
    for (std::size_t at = 0; at + 8 <= counters.size(); at += 8) {
      add_counter(kProcessorsTrack,
                  fmt::format("counter {} of processor {}", at / 8, events.record().processor),
                  Number::of_unsigned(load<std::uint64_t>(counters.data() + at)));
    }
  }

  void add_span(const Span& span) {
    const std::uint32_t process = process_or_processors(span.process_id);
    Track track{process, std::nullopt};
    if (span.thread_id != RecordHeader::kNoId && process != kProcessorsTrack) {
      track.thread = span.thread_id;
    }
    arguments_ = "{\"key\":";
    append_json_string(span.key, arguments_);
    arguments_ += '}';
    file_.span(track, span.start_ns, span.start_ns + span.duration_ns,
               {span.name, span.provider, arguments_});
    ++counts_.spans;
  }

  void write_names() {
    file_.name_process(kProcessorsTrack, "processors");
    for (const std::uint32_t thread : processor_tracks_) {
      const std::uint32_t processor = (thread - 1) / 2;
      file_.name_thread(
          kProcessorsTrack, thread,
          fmt::format("{} {}", thread % 2 == 1 ? "processor" : "interrupts of", processor));
      file_.sort_thread(kProcessorsTrack, thread, thread);
    }
    std::set<std::uint32_t> processes;
    for (const std::uint64_t track : tracks_) {
      const auto process = static_cast<std::uint32_t>(track >> 32);
      const auto thread = static_cast<std::uint32_t>(track);
      if (processes.insert(process).second && !name_of_process(process).empty()) {
        file_.name_process(process, name_of_process(process));
      }
      for (const SessionFacts& names : names_) {
        const std::string& name = names.kernel->timeline().thread_name(thread);
        if (!name.empty()) file_.name_thread(process, thread, name);
      }
    }
  }

  static constexpr std::uint32_t kMaxProcessors = 4096;

  std::vector<SessionFacts> names_;  // index: session
  std::vector<Counter> counters_;
  TraceEventFile& file_;
  const SpanOptions span_options_;
  std::unique_ptr<ThreadSlices> slices_;
  std::unique_ptr<Spans> spans_;
  std::unordered_map<std::uint32_t, std::uint32_t> thread_processes_;  // as of now
  std::unordered_map<std::uint32_t, std::string> process_names_;
  std::unordered_set<std::uint64_t> tracks_;  // process, and thread or kNoId
  std::set<std::uint32_t> processor_tracks_;
  std::optional<std::int64_t> first_start_;
  std::size_t session_ = 0;
  std::int64_t offset_ns_ = 0;  // of the session's start to the first one's
  std::int64_t time_ns_ = 0;
  std::int64_t last_ns_ = 0;
  std::string arguments_;
  std::string text_;
  PerfettoCounts counts_;
};

std::string about(const LogFileHeader& session) {
  std::string text = "{\"session\":";
  append_json_string(session.session_name, text);
  fmt::format_to(std::back_inserter(text),
                 ",\"start_utc\":\"{}\",\"events_lost\":{},\"buffers_lost\":{}}}",
                 filetime_text(session.start_filetime), session.events_lost, session.buffers_lost);
  return text;
}

}  // namespace

PerfettoCounts write_perfetto(const std::vector<const TraceFile*>& files, Decoder& decoder,
                              const EventFilter& filter, const std::vector<std::string>& counters,
                              const std::filesystem::path& path, bool replace) {
  std::vector<Counter> named = parse_counters(counters);
  TraceEventFile file(path, replace, about(files.front()->header()));
  Exporter exporter(names_in(files), std::move(named), file);
  EventStream events(files, decoder, filter);
  while (!InterruptFlag::raised() && events.next()) exporter.add(events);
  if (InterruptFlag::raised()) return {};
  PerfettoCounts counts = exporter.finish();
  counts.why_nothing = events.why_nothing();
  file.finish();
  return counts;
}

}  // namespace tailgate::etl
