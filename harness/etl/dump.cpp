#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "harness/base/error.h"
#include "harness/base/quoting.h"
#include "harness/etl/event_stream.h"
#include "harness/etl/no_processor.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_reader.h"
#include "harness/etl/value_text.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kFlushBytes = 256 * 1024;

void append_id(std::uint32_t id, std::string_view unknown, std::string& out) {
  if (id == RecordHeader::kNoId) {
    out += unknown;
  } else {
    append_number(std::uint64_t{id}, out);
  }
}

void append_processor(std::uint16_t processor, std::string_view none, std::string& out) {
  append_id(processor == kNoProcessor ? RecordHeader::kNoId : processor, none, out);
}

void append_time(const EventStream& events, DumpTime time, std::string& out) {
  switch (time) {
    case DumpTime::since_start:
      return append_ms(events.elapsed_ns(), out);
    case DumpTime::utc:
      out += filetime_text(events.filetime());
      return;
    case DumpTime::local:
      out += local_time_text(events.filetime(), events.session().time_zone);
      return;
  }
}

void append_tsv(const EventStream& events, DumpTime time, std::string& out) {
  const DecodedEvent& event = events.event();
  const RecordHeader& header = event.header;
  append_time(events, time, out);
  out += '\t';
  append_processor(events.record().processor, "-", out);
  out += '\t';
  append_id(header.process_id, "-", out);
  out += '\t';
  append_id(header.thread_id, "-", out);
  out += '\t';
  append_escaped(event.provider_name, out);
  out += '\t';
  append_escaped(event.event_name, out);
  for (unsigned number : {unsigned{header.id}, unsigned{header.version}, unsigned{header.opcode},
                          unsigned{header.level}, static_cast<unsigned>(header.payload.size())}) {
    out += '\t';
    append_number(std::uint64_t{number}, out);
  }
  bool complete = append_fields_tsv(event.fields, out) && event.complete;
  if (!event.message.empty()) {
    out += "\tmessage=";
    append_escaped(event.message, out);
  }
  append_misfits(event, complete, "\t", out);
  append_names_tsv(events.named(), out);
  out += '\n';
}

void append_guid(std::string_view key, const std::uint8_t* guid, std::string& out) {
  out += ",\"";
  out += key;
  out += "\":\"";
  char text[36];
  write_guid(guid, text);
  out.append(text, sizeof text);
  out += '"';
}

void append_stack(Bytes data, std::size_t address_bytes, std::string& out) {
  if (data.size() < 8) return;
  out += ",\"stack\":[";
  bool first = true;
  for (std::size_t at = 8; at + address_bytes <= data.size(); at += address_bytes) {
    std::uint64_t address = 0;
    std::memcpy(&address, data.data() + at, address_bytes);
    fmt::format_to(std::back_inserter(out), "{}\"{:#x}\"", first ? "" : ",", address);
    first = false;
  }
  out += ']';
}

void append_extended(Bytes items, std::string& out) {
  ExtendedCursor cursor(items);
  ExtendedItem item;
  while (cursor.next(item)) {
    switch (item.type) {
      case ExtendedType::tracelogging_schema:
      case ExtendedType::provider_traits:
        break;  // shown as the event's names and fields
      case ExtendedType::related_activity_id:
        if (item.data.size() >= 16) append_guid("related_activity", item.data.data(), out);
        break;
      case ExtendedType::stack_trace32:
        append_stack(item.data, 4, out);
        break;
      case ExtendedType::stack_trace64:
        append_stack(item.data, 8, out);
        break;
      default:
        fmt::format_to(std::back_inserter(out), ",\"extended_{:#04x}\":\"",
                       static_cast<unsigned>(item.type));
        append_hex(item.data, out);
        out += '"';
    }
  }
}

// The same as append_misfits().
void append_misfits_json(const DecodedEvent& event, bool complete, std::string& out) {
  if (!event.undecoded.empty()) {
    out += event.schema ? ",\"left_over\":\"0x" : ",\"payload\":\"0x";
    append_hex(event.undecoded, out);
    out += '"';
  }
  if (event.missing_fields != 0) {
    out += ",\"missing\":";
    append_number(std::uint64_t{event.missing_fields}, out);
  }
  if (auto version = event.other_version()) {
    out += ",\"layout_version\":";
    append_number(std::uint64_t{*version}, out);
  }
  if (!complete) out += ",\"damaged\":true";
}

void append_json(const EventStream& events, DumpTime time, std::string& out) {
  const DecodedEvent& event = events.event();
  const Record& record = events.record();
  const RecordHeader& header = event.header;
  out += "{\"time_ms\":";
  append_ms(events.elapsed_ns(), out);
  out += ",\"time_utc\":\"";
  out += filetime_text(events.filetime());
  if (time == DumpTime::local) {
    out += "\",\"time_local\":\"";
    append_time(events, time, out);
  }
  out += "\",\"cpu\":";
  append_processor(record.processor, "null", out);
  out += ",\"pid\":";
  append_id(header.process_id, "null", out);
  out += ",\"tid\":";
  append_id(header.thread_id, "null", out);
  out += ",\"provider\":";
  append_json_string(event.provider_name, out);
  append_guid("provider_guid", header.provider.bytes.data(), out);
  out += ",\"event\":";
  append_json_string(event.event_name, out);
  fmt::format_to(std::back_inserter(out),
                 ",\"kind\":\"{}\",\"id\":{},\"version\":{},\"opcode\":{},\"level\":{},"
                 "\"task\":{},\"keyword\":\"{:#x}\",\"pointer_bytes\":{},\"length_bytes\":{}",
                 kind_name(record.kind), header.id, header.version, header.opcode, header.level,
                 header.task, header.keyword, record.pointer_bytes, header.payload.size());
  if (header.is_kernel()) {
    fmt::format_to(std::back_inserter(out), ",\"hook\":\"{:#06x}\"", header.hook_id);
  }
  if (events.attributed()) out += ",\"attributed\":true";
  if (!header.activity.is_zero()) append_guid("activity", header.activity.bytes.data(), out);
  append_extended(header.extended, out);
  for (std::size_t at = 0; at + 8 <= header.counters.size(); at += 8) {
    fmt::format_to(std::back_inserter(out), ",\"counter_{}\":{}", at / 8,
                   load<std::uint64_t>(header.counters.data() + at));
  }
  out += ",\"fields\":";
  bool complete = append_fields_json(event.fields, out) && event.complete;
  if (!event.message.empty()) {
    out += ",\"message\":";
    append_json_string(event.message, out);
  }
  append_misfits_json(event, complete, out);
  append_names_json(events.named(), out);
  out += "}\n";
}

// kDumpColumns, with the time that is shown.
std::string standard_columns(DumpTime time) {
  constexpr std::string_view kFirst = "time_ms";
  static_assert(kDumpColumns.starts_with(kFirst));
  const std::string_view first = time == DumpTime::since_start ? kFirst
                                 : time == DumpTime::utc       ? "time_utc"
                                                               : "time_local";
  return std::string(first) + std::string(kDumpColumns.substr(kFirst.size()));
}

// Writes the columns that the user chose, or the standard ones, as TSV or CSV.
class ColumnWriter {
 public:
  explicit ColumnWriter(const DumpOptions& options) : csv_(options.format == DumpFormat::csv) {
    for (const EventPath& path : options.columns) columns_.push_back({path});
    if (!columns_.empty()) return;
    std::istringstream standard(standard_columns(options.time) +
                                "\tmessage\tmisfit\tprocess\tfile\timage");
    for (std::string name; std::getline(standard, name, '\t');) {
      columns_.push_back({EventPath::parse(name)});
    }
  }

  void append_names(std::string& out) const {
    for (const Column& column : columns_) {
      if (&column != columns_.data()) out += csv_ ? ',' : '\t';
      append_cell(column.path.name(), out);
    }
    out += '\n';
  }

  void append_row(const EventStream& events, std::string& out) {
    const EventView view = events.view();
    for (Column& column : columns_) {
      if (&column != columns_.data()) out += csv_ ? ',' : '\t';
      cell_.clear();
      if (!column.path.append_text(view, cell_)) continue;
      column.seen = true;
      append_cell(cell_, out);
    }
    out += '\n';
  }

  // Says which columns no row had; empty when there are none.
  std::string what_is_missing() const {
    std::string text;
    for (const Column& column : columns_) {
      if (column.seen || column.path.is_column()) continue;
      text += fmt::format("{}no event that is shown has a field '{}'", text.empty() ? "" : "\n",
                          printable(column.path.name()));
    }
    return text;
  }

 private:
  struct Column {
    EventPath path;
    bool seen = false;
  };

  void append_cell(std::string_view text, std::string& out) const {
    if (csv_) {
      out += csv_cell(text);
    } else {
      append_escaped(text, out);
    }
  }

  bool csv_;
  std::vector<Column> columns_;
  std::string cell_;
};

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

std::string dump_events(const std::vector<const TraceFile*>& files, Decoder& decoder,
                        const DumpOptions& options, const TextSink& sink) {
  EventStream events(files, decoder, options.filter);
  std::optional<ColumnWriter> columns;
  if (options.format == DumpFormat::csv || !options.columns.empty()) columns.emplace(options);
  std::string out;
  if (columns) {
    columns->append_names(out);
  } else if (options.format == DumpFormat::tsv) {
    out += standard_columns(options.time) + "\n";
  }
  while (events.next()) {
    if (columns) {
      columns->append_row(events, out);
    } else if (options.format == DumpFormat::tsv) {
      append_tsv(events, options.time, out);
    } else {
      append_json(events, options.time, out);
    }
    if (out.size() >= kFlushBytes) {
      if (!sink(out)) return {};
      out.clear();
    }
    if (events.passed() == options.max_events) break;
  }
  sink(out);
  if (events.passed() == 0) return events.why_nothing();
  std::string notes = columns ? columns->what_is_missing() : std::string();
  const std::string limits = events.name_limits();
  if (!notes.empty() && !limits.empty()) notes += '\n';
  return notes + limits;
}

}  // namespace tailgate::etl
