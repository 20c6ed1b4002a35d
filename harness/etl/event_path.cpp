#include "harness/etl/event_path.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <utility>

#include "harness/base/error.h"
#include "harness/etl/no_processor.h"
#include "harness/etl/text.h"
#include "harness/etl/time_zone.h"
#include "harness/etl/trace_names.h"
#include "harness/etl/value_text.h"

namespace tailgate::etl {
namespace {

constexpr std::array<std::pair<std::string_view, EventColumn>, 26> kColumns = {{
    {"time_ms", EventColumn::time_ms},
    {"time_utc", EventColumn::time_utc},
    {"time_local", EventColumn::time_local},
    {"cpu", EventColumn::cpu},
    {"pid", EventColumn::pid},
    {"tid", EventColumn::tid},
    {"kernel_ticks", EventColumn::kernel_ticks},
    {"user_ticks", EventColumn::user_ticks},
    {"provider", EventColumn::provider},
    {"event", EventColumn::event},
    {"id", EventColumn::id},
    {"version", EventColumn::version},
    {"opcode", EventColumn::opcode},
    {"level", EventColumn::level},
    {"task", EventColumn::task},
    {"keyword", EventColumn::keyword},
    {"activity", EventColumn::activity},
    {"related_activity", EventColumn::related_activity},
    {"kind", EventColumn::kind},
    {"length_bytes", EventColumn::length_bytes},
    {"message", EventColumn::message},
    {"fields", EventColumn::fields},
    {"misfit", EventColumn::misfit},
    {"process", EventColumn::process},
    {"file", EventColumn::file},
    {"image", EventColumn::image},
}};

bool is_name_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

// Takes a name, or one in back quotes.
std::optional<std::string> take_name(std::string_view text, std::size_t& at) {
  if (at < text.size() && text[at] == '`') {
    const std::size_t end = text.find('`', at + 1);
    if (end == std::string_view::npos || end == at + 1) return std::nullopt;
    std::string name(text.substr(at + 1, end - at - 1));
    at = end + 1;
    return name;
  }
  const bool begins = at < text.size() && is_name_character(text[at]) &&
                      std::isdigit(static_cast<unsigned char>(text[at])) == 0;
  if (!begins) return std::nullopt;
  const std::size_t from = at;
  while (at < text.size() && is_name_character(text[at])) ++at;
  return std::string(text.substr(from, at - from));
}

// What the path's values are in: walks the fields and keeps, for each open bracket, how many parts
// of the path lead to it.
class PathWalk {
 public:
  PathWalk(const std::vector<Field>& fields, const std::vector<std::string>& parts)
      : fields_(fields), parts_(parts) {}

  // The next field at the path's end: a value, or the begin of an array or a structure. The values
  // of an array at the path's end are there, too. Null behind the last.
  const Field* next() {
    while (at_ < fields_.size()) {
      const Field& field = fields_[at_++];
      if (field.kind == Field::Kind::end_array || field.kind == Field::Kind::end_structure) {
        if (!levels_.empty()) levels_.pop_back();
        continue;
      }
      const std::size_t level = level_of(field);
      if (field.kind != Field::Kind::value) levels_.push_back(level);
      if (level == parts_.size()) return &field;
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t kElsewhere = ~std::size_t{0};

  std::size_t level_of(const Field& field) const {
    const std::size_t level = levels_.empty() ? 0 : levels_.back();
    if (level == kElsewhere || field.name.empty()) return level;  // elements have no names
    const bool next_part = level < parts_.size() && equal_but_for_case(field.name, parts_[level]);
    return next_part ? level + 1 : kElsewhere;
  }

  const std::vector<Field>& fields_;
  const std::vector<std::string>& parts_;
  std::vector<std::size_t> levels_;
  std::size_t at_ = 0;
};

Bytes related_activity_of(const EventView& view) {
  const Bytes data = find_extended(view.event.header.extended, ExtendedType::related_activity_id);
  return data.size() >= 16 ? data.first(16) : Bytes();
}

// Appends one of the names of trace_names.h.
void append_name(const EventView& view, EventColumn column, std::string& out) {
  const NamedEvent named{view.event, view.record, view.names};
  if (column == EventColumn::process) {
    append_process_name(named, out);
  } else if (column == EventColumn::file) {
    append_file_name(named, out);
  } else {
    append_image_name(named, out);
  }
}

bool has_name(const EventView& view, EventColumn column) {
  std::string name;
  append_name(view, column, name);
  return !name.empty();
}

bool has_column(const EventView& view, EventColumn column) {
  const RecordHeader& header = view.event.header;
  switch (column) {
    case EventColumn::cpu:
      return view.record.processor != kNoProcessor;
    case EventColumn::pid:
      return header.process_id != RecordHeader::kNoId;
    case EventColumn::tid:
      return header.thread_id != RecordHeader::kNoId;
    case EventColumn::kernel_ticks:
    case EventColumn::user_ticks:
      return has_cpu_times(view.record, header);
    case EventColumn::activity:
      return !header.activity.is_zero();
    case EventColumn::related_activity:
      return !related_activity_of(view).empty();
    case EventColumn::message:
      return !view.event.message.empty();
    case EventColumn::misfit:
      return !view.event.fits() || !view.event.undecoded.empty() || view.event.other_version();
    case EventColumn::process:
    case EventColumn::file:
    case EventColumn::image:
      return has_name(view, column);
    default:
      return true;
  }
}

std::optional<Number> column_number(const EventView& view, EventColumn column) {
  const RecordHeader& header = view.event.header;
  switch (column) {
    case EventColumn::time_ms:
      return Number::of_real(static_cast<double>(view.clock.elapsed_ns(view.record.time)) / 1e6);
    case EventColumn::cpu:
      return Number::of_unsigned(view.record.processor);
    case EventColumn::pid:
      return Number::of_unsigned(header.process_id);
    case EventColumn::tid:
      return Number::of_unsigned(header.thread_id);
    case EventColumn::kernel_ticks:
      return Number::of_unsigned(header.kernel_time_ticks);
    case EventColumn::user_ticks:
      return Number::of_unsigned(header.user_time_ticks);
    case EventColumn::id:
      return Number::of_unsigned(header.id);
    case EventColumn::version:
      return Number::of_unsigned(header.version);
    case EventColumn::opcode:
      return Number::of_unsigned(header.opcode);
    case EventColumn::level:
      return Number::of_unsigned(header.level);
    case EventColumn::task:
      return Number::of_unsigned(header.task);
    case EventColumn::keyword:
      return Number::of_unsigned(header.keyword);
    case EventColumn::length_bytes:
      return Number::of_unsigned(header.payload.size());
    default:
      return std::nullopt;
  }
}

void append_column(const EventView& view, EventColumn column, std::string& out) {
  const RecordHeader& header = view.event.header;
  switch (column) {
    case EventColumn::time_ms:
      return append_ms(view.clock.elapsed_ns(view.record.time), out);
    case EventColumn::time_utc:
      out += filetime_text(view.clock.filetime(view.record.time));
      return;
    case EventColumn::time_local:
      out += local_time_text(view.clock.filetime(view.record.time), view.session.time_zone);
      return;
    case EventColumn::provider:
      out += view.event.provider_name;
      return;
    case EventColumn::event:
      out += view.event.event_name;
      return;
    case EventColumn::keyword:
      fmt::format_to(std::back_inserter(out), "{:#x}", header.keyword);
      return;
    case EventColumn::activity:
      out += to_text(header.activity);
      return;
    case EventColumn::related_activity:
      out += to_text(load_guid(related_activity_of(view).data()));
      return;
    case EventColumn::kind:
      out += kind_name(view.record.kind);
      return;
    case EventColumn::message:
      out += view.event.message;
      return;
    case EventColumn::fields:
      append_fields_json(view.event.fields, out);
      return;
    case EventColumn::misfit: {
      std::string marks;
      append_misfits(view.event, view.event.complete, " ", marks);
      out += std::string_view(marks).substr(1);
      return;
    }
    case EventColumn::process:
    case EventColumn::file:
    case EventColumn::image:
      return append_name(view, column, out);
    default:
      break;
  }
  if (const auto number = column_number(view, column)) append_number(*number->as_signed(), out);
}

}  // namespace

void append_misfits(const DecodedEvent& event, bool complete, std::string_view separator,
                    std::string& out) {
  if (!event.undecoded.empty()) {
    out += separator;
    out += event.schema ? "left_over=0x" : "payload=0x";
    append_hex(event.undecoded, out);
  }
  if (event.missing_fields != 0) {
    out += separator;
    out += "missing=";
    append_number(std::uint64_t{event.missing_fields}, out);
  }
  if (auto version = event.other_version()) {
    out += separator;
    out += "layout_version=";
    append_number(std::uint64_t{*version}, out);
  }
  if (complete) return;
  out += separator;
  out += "damaged=true";
}

std::optional<Number> PathValue::number() const {
  return field_ != nullptr ? number_of(*field_) : column_number(view_, column_);
}

void PathValue::append_text(std::string& out) const {
  if (field_ != nullptr) {
    append_value(*field_, out);
  } else {
    append_column(view_, column_, out);
  }
}

std::optional<EventPath> EventPath::parse_at(std::string_view text, std::size_t& at) {
  const std::size_t from = at;
  EventPath path;
  for (;;) {
    auto part = take_name(text, at);
    if (!part) return std::nullopt;
    path.parts_.push_back(std::move(*part));
    if (at == text.size() || text[at] != '.') break;
    ++at;
  }
  path.name_ = text.substr(from, at - from);
  if (path.parts_.size() == 1) {
    for (const auto& [name, column] : kColumns) {
      if (path.name_ == name) path.column_ = column;
    }
  } else if (path.parts_.front() == "fields") {
    path.parts_.erase(path.parts_.begin());
  }
  return path;
}

EventPath EventPath::parse(std::string_view text) {
  std::size_t at = 0;
  if (auto path = parse_at(text, at)) {
    if (at == text.size()) return std::move(*path);
  }
  throw Error(
      fmt::format("'{}' is no column and no field: it goes wrong at character {}", text, at + 1),
      "write a name such as pid or Size; put one with other characters than letters, "
      "digits and '_' in back quotes");
}

bool EventPath::any_value(const EventView& view,
                          const std::function<bool(const PathValue&)>& visit) const {
  if (column_) return has_column(view, *column_) && visit(PathValue(view, *column_));
  PathWalk walk(view.event.fields, parts_);
  while (const Field* field = walk.next()) {
    if (field->kind == Field::Kind::value && visit(PathValue(view, *field))) return true;
  }
  return false;
}

bool EventPath::is_in(const EventView& view) const {
  if (column_) return has_column(view, *column_);
  return PathWalk(view.event.fields, parts_).next() != nullptr;
}

bool EventPath::append_text(const EventView& view, std::string& out) const {
  const std::size_t from = out.size();
  bool any = false;
  any_value(view, [&](const PathValue& value) {
    if (any) out += ',';
    any = true;
    value.append_text(out);
    return out.size() - from > kMaxFieldsTextBytes;
  });
  if (any || column_) return any;
  PathWalk walk(view.event.fields, parts_);
  const Field* bracket = walk.next();
  if (bracket == nullptr) return false;
  append_bracket_json(view.event.fields,
                      static_cast<std::size_t>(bracket - view.event.fields.data()), out);
  return true;
}

}  // namespace tailgate::etl
