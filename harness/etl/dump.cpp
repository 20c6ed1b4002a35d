#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/error.h"
#include "harness/etl/event_filter.h"
#include "harness/etl/kernel_activity.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_reader.h"
#include "harness/etl/value_text.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kFlushBytes = 256 * 1024;

// Appends ns as milliseconds with six decimals.
void append_ms(std::int64_t ns, std::string& out) {
  if (ns < 0) out += '-';
  std::uint64_t magnitude =
      ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  append_number(magnitude / 1'000'000, out);
  char digits[7] = {'.', '0', '0', '0', '0', '0', '0'};
  std::uint64_t fraction = magnitude % 1'000'000;
  for (int i = 6; fraction != 0; --i, fraction /= 10) {
    digits[i] = static_cast<char>('0' + fraction % 10);
  }
  out.append(digits, sizeof digits);
}

void append_id(std::uint32_t id, std::string_view unknown, std::string& out) {
  if (id == RecordHeader::kNoId) {
    out += unknown;
  } else {
    append_number(std::uint64_t{id}, out);
  }
}

void append_time(const TraceReader& reader, std::int64_t raw, DumpTime time, std::string& out) {
  switch (time) {
    case DumpTime::since_start:
      return append_ms(reader.clock().elapsed_ns(raw), out);
    case DumpTime::utc:
      out += filetime_text(reader.clock().filetime(raw));
      return;
    case DumpTime::local:
      out += local_time_text(reader.clock().filetime(raw), reader.header().time_zone);
      return;
  }
}

// Marks what does not fit; see kDumpColumns.
void append_misfits_tsv(const DecodedEvent& event, bool complete, std::string& out) {
  if (!event.undecoded.empty()) {
    out += event.schema ? "\tleft_over=0x" : "\tpayload=0x";
    append_hex(event.undecoded, out);
  }
  if (event.missing_fields != 0) {
    out += "\tmissing=";
    append_number(std::uint64_t{event.missing_fields}, out);
  }
  if (auto version = event.other_version()) {
    out += "\tlayout_version=";
    append_number(std::uint64_t{*version}, out);
  }
  if (!complete) out += "\tdamaged=true";
}

void append_tsv(const TraceReader& reader, const Record& record, const DecodedEvent& event,
                DumpTime time, std::string& out) {
  const RecordHeader& header = event.header;
  append_time(reader, record.time, time, out);
  out += '\t';
  append_number(std::uint64_t{record.processor}, out);
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
  append_misfits_tsv(event, complete, out);
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

// The same as append_misfits_tsv().
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

void append_json(const TraceReader& reader, const Record& record, const DecodedEvent& event,
                 DumpTime time, bool attributed, std::string& out) {
  const RecordHeader& header = event.header;
  out += "{\"time_ms\":";
  append_ms(reader.clock().elapsed_ns(record.time), out);
  out += ",\"time_utc\":\"";
  out += filetime_text(reader.clock().filetime(record.time));
  if (time == DumpTime::local) {
    out += "\",\"time_local\":\"";
    append_time(reader, record.time, time, out);
  }
  out += "\",\"cpu\":";
  append_number(std::uint64_t{record.processor}, out);
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
  if (attributed) out += ",\"attributed\":true";
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
  out += "}\n";
}

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
  TraceReader reader(files, ReadOrder::time);
  FilterMatcher matcher(options.filter);
  std::string out;
  if (options.format == DumpFormat::tsv) {
    constexpr std::string_view kFirst = "time_ms";
    static_assert(kDumpColumns.starts_with(kFirst));
    const std::string_view first = options.time == DumpTime::since_start ? kFirst
                                   : options.time == DumpTime::utc       ? "time_utc"
                                                                         : "time_local";
    out += first;
    out += kDumpColumns.substr(kFirst.size());
    out += '\n';
  }
  DecodedEvent event;
  std::uint64_t shown = 0;
  std::unique_ptr<KernelActivity> kernel;
  const LogFileHeader* session = nullptr;
  while (const Record* next = reader.next()) {
    const Record& record = *next;
    if (session != &reader.header()) {
      session = &reader.header();
      kernel = std::make_unique<KernelActivity>(*session, reader.clock());
    }
    kernel->add(record);
    if (!matcher.time_matches(reader.clock(), record.time)) {
      if (shown == 0) matcher.note_time(reader.clock(), record.time);
      continue;
    }
    decoder.decode(record, event);
    bool attributed = kernel->attribute(record, event.header);
    if (!matcher.matches(event)) {
      if (shown == 0) matcher.note(event);
      continue;
    }
    if (options.format == DumpFormat::tsv) {
      append_tsv(reader, record, event, options.time, out);
    } else {
      append_json(reader, record, event, options.time, attributed, out);
    }
    if (out.size() >= kFlushBytes) {
      if (!sink(out)) return {};
      out.clear();
    }
    if (++shown == options.max_events) break;
  }
  sink(out);
  return shown == 0 ? matcher.why_nothing() : std::string();
}

}  // namespace tailgate::etl
