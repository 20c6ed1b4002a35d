#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "harness/etl/kernel_activity.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_reader.h"
#include "harness/etl/value_text.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kFlushBytes = 256 * 1024;

bool same_text(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

class FilterMatcher {
 public:
  explicit FilterMatcher(const EventFilter& filter) : filter_(filter) {
    for (const std::string& text : filter.providers) {
      if (auto guid = parse_guid(text)) guids_.push_back(*guid);
    }
  }

  bool time_matches(std::int64_t elapsed_ns) const {
    double ms = static_cast<double>(elapsed_ns) / 1e6;
    return (!filter_.from_ms || ms >= *filter_.from_ms) && (!filter_.to_ms || ms <= *filter_.to_ms);
  }

  bool matches(const DecodedEvent& event) const {
    return process_matches(event) && provider_matches(event) && event_matches(event);
  }

 private:
  bool process_matches(const DecodedEvent& event) const {
    return filter_.process_ids.empty() ||
           std::find(filter_.process_ids.begin(), filter_.process_ids.end(),
                     event.header.process_id) != filter_.process_ids.end();
  }

  bool provider_matches(const DecodedEvent& event) const {
    if (filter_.providers.empty()) return true;
    if (std::find(guids_.begin(), guids_.end(), event.header.provider) != guids_.end()) return true;
    return std::any_of(
        filter_.providers.begin(), filter_.providers.end(),
        [&event](const std::string& name) { return same_text(name, event.provider_name); });
  }

  bool event_matches(const DecodedEvent& event) const {
    if (filter_.events.empty()) return true;
    std::string id = std::to_string(event.header.id);
    return std::any_of(filter_.events.begin(), filter_.events.end(), [&](const std::string& name) {
      return same_text(name, event.event_name) || name == id ||
             (event.schema && (same_text(name, event.schema->opcode_name) ||
                               same_text(name, event.schema->task_name)));
    });
  }

  const EventFilter& filter_;
  std::vector<Guid> guids_;
};

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

void append_tsv(const TraceReader& reader, const Record& record, const DecodedEvent& event,
                std::string& out) {
  const RecordHeader& header = event.header;
  append_ms(reader.clock().elapsed_ns(record.time), out);
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
  if (!event.undecoded.empty()) {
    out += "\tpayload=0x";
    append_hex(event.undecoded, out);
  }
  if (!complete) out += "\tdamaged=true";
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

void append_json(const TraceReader& reader, const Record& record, const DecodedEvent& event,
                 bool attributed, std::string& out) {
  const RecordHeader& header = event.header;
  out += "{\"time_ms\":";
  append_ms(reader.clock().elapsed_ns(record.time), out);
  out += ",\"time_utc\":\"";
  out += filetime_text(reader.clock().filetime(record.time));
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
  if (!event.undecoded.empty()) {
    out += ",\"payload\":\"0x";
    append_hex(event.undecoded, out);
    out += '"';
  }
  if (!complete) out += ",\"damaged\":true";
  out += "}\n";
}

}  // namespace

void dump_events(const std::vector<const TraceFile*>& files, Decoder& decoder,
                 const DumpOptions& options, const TextSink& sink) {
  TraceReader reader(files, ReadOrder::time);
  FilterMatcher matcher(options.filter);
  std::string out;
  if (options.format == DumpFormat::tsv) {
    out += kDumpColumns;
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
    if (!matcher.time_matches(reader.clock().elapsed_ns(record.time))) continue;
    decoder.decode(record, event);
    bool attributed = kernel->attribute(record, event.header);
    if (!matcher.matches(event)) continue;
    if (options.format == DumpFormat::tsv) {
      append_tsv(reader, record, event, out);
    } else {
      append_json(reader, record, event, attributed, out);
    }
    if (out.size() >= kFlushBytes) {
      if (!sink(out)) return;
      out.clear();
    }
    if (++shown == options.max_events) break;
  }
  sink(out);
}

}  // namespace tailgate::etl
