#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "harness/base/error.h"
#include "harness/etl/dump_text.h"
#include "harness/etl/event_stream.h"
#include "harness/etl/event_threads.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {
namespace {

// The time of the files' last record.
std::int64_t last_filetime(const std::vector<const TraceFile*>& files) {
  TraceReader reader(files, ReadOrder::file);
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  while (const Record* record = reader.next()) {
    last = std::max(last, reader.clock().filetime(record->time));
  }
  return last;
}

std::optional<std::int64_t> time_of(const std::string& text, const TimeZone* zone) {
  if (text.empty()) return std::nullopt;
  if (auto time = parse_time(text, zone)) return time;
  throw Error(fmt::format("'{}' is no time", text),
              "write it as 2020-07-29T00:06:22Z; 'T' and what follows may be left out, and without "
              "Z or +02:00 it is UTC, or local time with --time local");
}

}  // namespace

void set_times(const TimeTexts& texts, bool local, const std::vector<const TraceFile*>& files,
               EventFilter& filter) {
  const TimeZone* zone = local && !files.empty() ? &files.front()->header().time_zone : nullptr;
  filter.since = time_of(texts.since, zone);
  filter.until = time_of(texts.until, zone);
  if (texts.last.empty()) return;
  const auto duration = parse_duration(texts.last);
  if (!duration) {
    throw Error(fmt::format("'{}' is no duration", texts.last),
                "write a number and its unit: ms, s, m, h or d, such as 5m");
  }
  const std::int64_t end = std::max<std::int64_t>(0, last_filetime(files));
  const std::int64_t since = end - *duration;
  filter.since = std::max(since, filter.since.value_or(since));
}

namespace {

// What a dump returns when it shows events.
std::string dump_notes(const DumpText& text, const std::string& name_limits) {
  std::string notes = text.what_is_missing();
  if (!notes.empty() && !name_limits.empty()) notes += '\n';
  return notes + name_limits;
}

// On the caller's thread.
std::string dump_in_place(const std::vector<const TraceFile*>& files, Decoder& decoder,
                          const DumpOptions& options, const TextSink& sink) {
  EventStream events(files, decoder, options.filter);
  DumpText text(options);
  std::string out;
  text.append_heading(out);
  while (events.next()) {
    text.append(events.view(), events.attributed(), out);
    if (out.size() >= kFlushBytes) {
      if (!sink(out)) return {};
      out.clear();
    }
    if (events.passed() == options.max_events) break;
  }
  text.append_footing(out);
  sink(out);
  if (events.passed() == 0) return events.why_nothing();
  return dump_notes(text, events.name_limits());
}

struct DumpFormatter : EventFormatter {
  explicit DumpFormatter(const DumpOptions& options) : text(options) {}
  void append(const EventView& view, bool attributed, const EventBlock&,
              std::string& out) override {
    text.append(view, attributed, out);
  }
  DumpText text;
};

std::string dump_on_threads(const std::vector<const TraceFile*>& files, Decoder& decoder,
                            const DumpOptions& options, const TextSink& sink) {
  DumpText all(options);
  std::string ends;
  all.append_heading(ends);
  if (!ends.empty() && !sink(ends)) return {};
  std::vector<std::unique_ptr<EventFormatter>> formatters;
  std::vector<const DumpText*> texts;  // know which columns their threads have seen
  for (unsigned i = 0; i < options.threads; ++i) {
    auto one = std::make_unique<DumpFormatter>(options);
    texts.push_back(&one->text);
    formatters.push_back(std::move(one));
  }
  const FormattedEvents done = format_on_threads(files, decoder, options.filter, formatters, sink);
  if (done.stopped) return {};
  ends.clear();
  all.append_footing(ends);
  if (!ends.empty()) sink(ends);
  for (const DumpText* text : texts) all.add_seen(*text);
  return done.passed == 0 ? done.why_nothing : dump_notes(all, done.name_limits);
}

}  // namespace

std::string dump_events(const std::vector<const TraceFile*>& files, Decoder& decoder,
                        const DumpOptions& options, const TextSink& sink) {
  const bool alone = options.threads <= 1 || options.max_events != 0;
  return alone ? dump_in_place(files, decoder, options, sink)
               : dump_on_threads(files, decoder, options, sink);
}

}  // namespace tailgate::etl
