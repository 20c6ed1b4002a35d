#include "harness/etl/dump_text.h"

#include <fmt/format.h>

#include <sstream>

#include "harness/base/quoting.h"
#include "harness/etl/dump_xml.h"
#include "harness/etl/no_processor.h"
#include "harness/etl/trace_names.h"
#include "harness/etl/value_text.h"

namespace tailgate::etl {
namespace {

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

void append_time(const EventView& view, DumpTime time, std::string& out) {
  switch (time) {
    case DumpTime::since_start:
      return append_ms(view.clock.elapsed_ns(view.record.time), out);
    case DumpTime::utc:
      out += filetime_text(view.clock.filetime(view.record.time));
      return;
    case DumpTime::local:
      out += local_time_text(view.clock.filetime(view.record.time), view.session.time_zone);
      return;
  }
}

void append_tsv(const EventView& view, DumpTime time, std::string& out) {
  const DecodedEvent& event = view.event;
  const RecordHeader& header = event.header;
  append_time(view, time, out);
  out += '\t';
  append_processor(view.record.processor, "-", out);
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
  append_names_tsv({event, view.record, view.names}, out);
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

void append_json(const EventView& view, bool attributed, DumpTime time, std::string& out) {
  const DecodedEvent& event = view.event;
  const Record& record = view.record;
  const RecordHeader& header = event.header;
  out += "{\"time_ms\":";
  append_ms(view.clock.elapsed_ns(view.record.time), out);
  out += ",\"time_utc\":\"";
  out += filetime_text(view.clock.filetime(view.record.time));
  if (time == DumpTime::local) {
    out += "\",\"time_local\":\"";
    append_time(view, time, out);
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
  if (attributed) out += ",\"attributed\":true";
  if (has_cpu_times(record, header)) {
    fmt::format_to(std::back_inserter(out), ",\"kernel_ticks\":{},\"user_ticks\":{}",
                   header.kernel_time_ticks, header.user_time_ticks);
  }
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
  append_names_json({event, record, view.names}, out);
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

}  // namespace

DumpText::DumpText(const DumpOptions& options) : format_(options.format), time_(options.time) {
  for (const EventPath& path : options.columns) columns_.push_back({path});
  if (!columns_.empty() || format_ != DumpFormat::csv) return;
  std::istringstream standard(standard_columns(time_) + "\tmessage\tmisfit\tprocess\tfile\timage");
  for (std::string name; std::getline(standard, name, '\t');) {
    columns_.push_back({EventPath::parse(name)});
  }
}

void DumpText::append_heading(std::string& out) const {
  if (columns_.empty()) {
    if (format_ == DumpFormat::tsv) out += standard_columns(time_) + "\n";
    if (format_ == DumpFormat::xml) out += kXmlHeading;
    return;
  }
  for (const Column& column : columns_) {
    if (&column != columns_.data()) out += format_ == DumpFormat::csv ? ',' : '\t';
    append_cell(column.path.name(), out);
  }
  out += '\n';
}

void DumpText::append_footing(std::string& out) const {
  if (format_ == DumpFormat::xml) out += kXmlFooting;
}

void DumpText::append(const EventView& view, bool attributed, std::string& out) {
  if (!columns_.empty()) {
    append_row(view, out);
  } else if (format_ == DumpFormat::tsv) {
    append_tsv(view, time_, out);
  } else if (format_ == DumpFormat::xml) {
    append_xml(view, replaced_, out);
  } else {
    append_json(view, attributed, time_, out);
  }
}

void DumpText::append_row(const EventView& view, std::string& out) {
  for (Column& column : columns_) {
    if (&column != columns_.data()) out += format_ == DumpFormat::csv ? ',' : '\t';
    cell_.clear();
    if (!column.path.append_text(view, cell_)) continue;
    column.seen = true;
    append_cell(cell_, out);
  }
  out += '\n';
}

void DumpText::append_cell(std::string_view text, std::string& out) const {
  if (format_ == DumpFormat::csv) {
    out += csv_cell(text);
  } else {
    append_escaped(text, out);
  }
}

void DumpText::add_seen(const DumpText& other) {
  replaced_ += other.replaced_;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].seen = columns_[i].seen || other.columns_[i].seen;
  }
}

std::string DumpText::what_is_missing() const {
  std::string text;
  for (const Column& column : columns_) {
    if (column.seen || column.path.is_column()) continue;
    text += fmt::format("{}no event that is shown has a field '{}'", text.empty() ? "" : "\n",
                        printable(column.path.name()));
  }
  if (replaced_ > 0) {
    text += fmt::format(
        "{} characters that XML does not allow were replaced by U+FFFD; --json has "
        "them",
        replaced_);
  }
  return text;
}

}  // namespace tailgate::etl
