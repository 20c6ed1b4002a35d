#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/quoting.h"
#include "harness/etl/event_stream.h"
#include "harness/etl/spans.h"
#include "harness/etl/value_text.h"
#include "harness/histogram/histogram_codec.h"
#include "harness/histogram/histogram_log.h"

namespace tailgate::etl {
namespace {

using Json = nlohmann::ordered_json;

using Kinds = std::vector<const SpanKind*>;

// The kinds of span, those that took longest first, then those without a pair.
Kinds by_total(const Spans& spans) {
  Kinds kinds;
  for (const SpanKind& kind : spans.kinds()) kinds.push_back(&kind);
  std::stable_sort(kinds.begin(), kinds.end(), [](const SpanKind* a, const SpanKind* b) {
    return a->durations.total_ns() > b->durations.total_ns();
  });
  return kinds;
}

std::string full_name(const SpanKind& kind) {
  return kind.provider.empty() ? kind.name : kind.provider + "/" + kind.name;
}

// A slot's upper end may be above the longest duration in it.
std::uint64_t quantile(const SpanKind& kind, const Histogram& histogram, double q) {
  return std::min(histogram.value_at_quantile(q), kind.durations.max_ns());
}

double ms(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

std::string text_of(const Spans& spans, std::size_t max_rows) {
  std::string out =
      fmt::format("{:>8} {:>12} {:>11} {:>11} {:>11} {:>11} {:>11}  {:>8} {:>8} {:>6}  span\n",
                  "count", "total_ms", "min_ms", "mean_ms", "p50_ms", "p99_ms", "max_ms", "unended",
                  "unbegun", "no_key");
  const Kinds kinds = by_total(spans);
  for (std::size_t i = 0; i < std::min(max_rows, kinds.size()); ++i) {
    const SpanKind& kind = *kinds[i];
    const Histogram histogram = kind.durations.histogram();
    out += fmt::format(
        "{:>8} {:>12.4f} {:>11.4f} {:>11.4f} {:>11.4f} {:>11.4f} {:>11.4f}  {:>8} {:>8} {:>6}  "
        "{}\n",
        kind.durations.count(), ms(kind.durations.total_ns()), ms(kind.durations.min_ns()),
        kind.durations.mean_ns() / 1e6, ms(quantile(kind, histogram, 0.5)),
        ms(quantile(kind, histogram, 0.99)), ms(kind.durations.max_ns()), kind.unmatched_starts,
        kind.unmatched_stops, kind.without_key, printable(full_name(kind)));
  }
  if (kinds.size() > max_rows) out += fmt::format("  ... {} more\n", kinds.size() - max_rows);
  if (spans.starts_over_limit() + spans.durations_over_limit() != 0) {
    out += fmt::format(
        "too many at once: {} starts were not kept, {} durations are in no "
        "percentile; narrow it by --provider\n",
        spans.starts_over_limit(), spans.durations_over_limit());
  }
  return out;
}

Json json_of(const SpanKind& kind) {
  const Histogram histogram = kind.durations.histogram();
  return {{"provider", kind.provider.empty() ? Json() : Json(kind.provider)},
          {"name", kind.name},
          {"count", kind.durations.count()},
          {"total_ns", kind.durations.total_ns()},
          {"min_ns", kind.durations.min_ns()},
          {"mean_ns", kind.durations.mean_ns()},
          {"p50_ns", quantile(kind, histogram, 0.5)},
          {"p90_ns", quantile(kind, histogram, 0.9)},
          {"p99_ns", quantile(kind, histogram, 0.99)},
          {"p999_ns", quantile(kind, histogram, 0.999)},
          {"max_ns", kind.durations.max_ns()},
          {"unmatched_starts", kind.unmatched_starts},
          {"unmatched_stops", kind.unmatched_stops},
          {"without_key", kind.without_key},
          {"histogram", encode_v2_base64(histogram)}};
}

std::string json_of(const Spans& spans) {
  Json json;
  json["spans"] = Json::array();
  for (const SpanKind* kind : by_total(spans)) json["spans"].push_back(json_of(*kind));
  json["starts_over_limit"] = spans.starts_over_limit();
  json["durations_over_limit"] = spans.durations_over_limit();
  return json_text(json.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

// A tag of an interval log may hold no comma, no space and no line break.
std::string tag_of(const SpanKind& kind) {
  std::string tag = printable(full_name(kind));
  std::replace_if(
      tag.begin(), tag.end(), [](char c) { return c == ',' || c == ' '; }, '_');
  return tag;
}

// Seconds since 1970 of a FILETIME, within the years that a log may name.
double seconds_since_epoch(std::int64_t filetime) {
  constexpr double kEpochSeconds = 11'644'473'600;  // from 1601 to 1970
  constexpr double kLastSecond = 253'402'300'799;
  return std::clamp(static_cast<double>(filetime) / 1e7 - kEpochSeconds, 0.0, kLastSecond);
}

std::string hlog_of(const Spans& spans, std::int64_t start_filetime) {
  HistogramLogWriter log(seconds_since_epoch(start_filetime),
                         "tailgate etl spans: durations in ns");
  Kinds kinds = by_total(spans);
  std::erase_if(kinds, [](const SpanKind* kind) { return kind->durations.count() == 0; });
  // HistogramLogProcessor reads only lines without a tag unless it is told a tag.
  const bool tagged = kinds.size() > 1;
  for (const SpanKind* kind : kinds) {
    const double start_s = std::max(0.0, static_cast<double>(kind->first_start_ns) / 1e9);
    const double stop_s = std::max(start_s, static_cast<double>(kind->last_stop_ns) / 1e9);
    log.add(start_s, stop_s - start_s, kind->durations.histogram(), tagged ? tag_of(*kind) : "");
  }
  return log.text();
}

void append_id(std::uint32_t id, std::string& out) {
  out += id == RecordHeader::kNoId ? "-" : std::to_string(id);
}

void append_tsv(const Span& span, std::string_view process, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:.6f}\t{:.6f}\t",
                 static_cast<double>(span.start_ns) / 1e6,
                 static_cast<double>(span.duration_ns) / 1e6);
  append_id(span.process_id, out);
  out += '\t';
  append_id(span.thread_id, out);
  for (std::string_view text : {span.provider, span.name, span.key, process}) {
    out += '\t';
    append_escaped(text, out);
  }
  out += '\n';
}

// Reads all events into spans. Calls visit with each span; stops when it returns false.
template <typename Visit>
void read_spans(EventStream& events, Spans& spans, Visit visit) {
  std::size_t session = 0;
  bool goes_on = true;
  while (goes_on && events.next()) {
    if (events.session_number() != session) spans.end_session();
    session = events.session_number();
    spans.add(events.record(), events.event(), events.elapsed_ns(),
              [&](const Span& span) { goes_on = goes_on && visit(span); });
  }
  spans.end_session();
}

void write_each(EventStream& events, Spans& spans, const TextSink& sink) {
  std::string out = std::string(kSpanColumns) + "\n";
  bool open = true;
  read_spans(events, spans, [&](const Span& span) {
    append_tsv(span, events.process_name(span.process_id), out);
    if (out.size() < kFlushBytes) return true;
    open = sink(out);
    out.clear();
    return open;
  });
  if (open) sink(out);
}

}  // namespace

std::string report_spans(const std::vector<const TraceFile*>& files, Decoder& decoder,
                         const SpanOptions& options, SpanFormat format, std::size_t max_rows,
                         const TextSink& sink) {
  Spans spans(options);
  EventStream events(files, decoder, options.filter);
  if (format == SpanFormat::tsv) {
    write_each(events, spans, sink);
  } else {
    read_spans(events, spans, [](const Span&) { return true; });
  }
  switch (format) {
    case SpanFormat::text:
      sink(text_of(spans, max_rows));
      break;
    case SpanFormat::json:
      sink(json_of(spans));
      break;
    case SpanFormat::hlog:
      sink(hlog_of(spans, files.front()->header().start_filetime));
      break;
    case SpanFormat::tsv:
      break;
  }
  if (events.passed() == 0) return events.why_nothing();
  if (!spans.kinds().empty()) {
    return format == SpanFormat::tsv ? events.name_limits() : std::string();
  }
  return "no event starts or ends a span; name what does with --pair START=STOP";
}

}  // namespace tailgate::etl
