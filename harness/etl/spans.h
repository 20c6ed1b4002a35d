// Times between pairs of events: how long lasted what the events of a trace start and stop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/durations.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// Whether an event starts or stops a span, and the span's name, by the event's own name: it ends in
// Start, Begin, Enter or Request, or in Stop, End, Exit, Leave or Response, as a word of its own.
struct SpanSide {
  bool starts = false;
  std::string_view name;  // of the event, without that word and what separates it
};
std::optional<SpanSide> span_side(std::string_view event_name);

struct SpanOptions {
  // Pairs that the user named, "START=STOP": names, tasks, opcodes or ids of events, as --event
  // takes them. An event that is paired with itself ends a span and begins the next one. Empty:
  // events pair by opcode and name, and the kernel's requests with their completion.
  std::vector<std::string> pairs;
  // What the start and the stop of a span have in common: "activity", "thread", "process" or the
  // name of a field; "auto": see Spans.
  std::string by = "auto";
  EventFilter filter;  // of both events
};

// One span that was started and stopped. Times are ns since the session's start.
struct Span {
  std::string_view provider;
  std::string_view name;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint32_t process_id = RecordHeader::kNoId;  // of the stop, as the next one
  std::uint32_t thread_id = RecordHeader::kNoId;
  std::string_view key;  // what start and stop have in common, as text
};

// The spans of one name.
struct SpanKind {
  std::string provider;  // empty for a pair that the user named
  std::string name;
  std::uint64_t unmatched_starts = 0;
  std::uint64_t unmatched_stops = 0;
  std::uint64_t without_key = 0;  // events that have nothing by which to find their pair
  std::int64_t first_start_ns = 0;
  std::int64_t last_stop_ns = 0;
  Durations durations;
};

// Pairs events, in order of time.
//
// A stop closes the latest open start of its name and key. By thread, spans of one name may be
// nested. By any other key they may not: a start whose key is open already leaves the earlier start
// unmatched, so that one lost stop does not pair all that follow wrongly.
//
// The automatic key is the field that identifies what starts and stops where that is known (the
// request packet of the kernel's disk events, the id of a process or thread, the number of a
// garbage collection), else the activity id, else the thread.
class Spans {
 public:
  // Keeps a reference to the options. Throws Error for a pair without two names.
  explicit Spans(const SpanOptions& options);

  // Takes the next event; calls `visit` with each span that it ends.
  template <typename Visit>
  void add(const Record& record, const DecodedEvent& event, std::int64_t time_ns, Visit visit) {
    find_sides(record, event);
    for (const Side& side : sides_) {
      if (auto span = add_side(event, side, time_ns)) visit(*span);
    }
  }

  // What is open now stays unmatched: the events that follow are on another clock, or there are
  // none.
  void end_session();

  const std::vector<SpanKind>& kinds() const { return kinds_; }
  // Starts that were not kept because 131,072 were open, and spans whose durations are in no
  // histogram because a million slots were in use.
  std::uint64_t starts_over_limit() const { return starts_over_limit_; }
  std::uint64_t durations_over_limit() const;

 private:
  enum class By : std::uint8_t { automatic, activity, thread, process, field };
  struct Side {
    std::uint32_t kind = 0;
    bool starts = false;
    std::string_view field;  // of the automatic key; empty: activity or thread
  };
  struct OpenSpans {
    std::uint32_t kind = 0;
    std::vector<std::int64_t> starts_ns;
  };

  void find_sides(const Record& record, const DecodedEvent& event);
  void find_named_sides(const DecodedEvent& event);
  std::uint32_t kind_of(std::string_view provider, std::string_view name);
  // Sets key_ and nests_. False when the event has no such key.
  bool make_key(const DecodedEvent& event, const Side& side);
  bool add_field_to_key(const DecodedEvent& event, std::string_view name);
  bool add_activity_to_key(const RecordHeader& header);
  bool add_thread_to_key(const RecordHeader& header);
  std::optional<Span> add_side(const DecodedEvent& event, const Side& side, std::int64_t time_ns);
  void open(std::uint32_t kind, std::int64_t time_ns);
  std::optional<Span> close(const DecodedEvent& event, SpanKind& kind, std::int64_t time_ns);

  const SpanOptions& options_;
  By by_ = By::automatic;
  std::vector<SpanKind> kinds_;
  std::unordered_map<std::string, std::uint32_t> kind_numbers_;
  std::string kind_key_;
  std::vector<Side> sides_;
  std::string name_;    // of a span whose events have no names
  std::string key_;     // the kind's number in four bytes, then the key as text
  bool nests_ = false;  // spans of key_ may be nested
  std::unordered_map<std::string, OpenSpans> open_;
  std::size_t open_count_ = 0;
  std::size_t slots_ = 0;
  std::uint64_t starts_over_limit_ = 0;
};

enum class SpanFormat {
  text,  // a table of the kinds
  json,  // the same, with their histograms in HdrHistogram's encoding
  hlog,  // HdrHistogram's interval log: a line for each kind, tagged when there are several
  tsv,   // a line for each span
};

// process: the name of pid at the span's end, where the trace has one.
inline constexpr std::string_view kSpanColumns =
    "start_ms\tduration_ms\tpid\ttid\tprovider\tname\tkey\tprocess";

// Reports the spans of the files. max_rows limits the table. When there are none, returns a text
// that says so, and what the filter excluded; else what the names lack, if anything.
std::string report_spans(const std::vector<const TraceFile*>& files, Decoder& decoder,
                         const SpanOptions& options, SpanFormat format, std::size_t max_rows,
                         const TextSink& sink);

}  // namespace tailgate::etl
