#include "harness/etl/table_row.h"

#include <cstring>

#include "harness/base/quoting.h"
#include "harness/etl/text.h"
#include "harness/etl/trace_names.h"
#include "harness/etl/value_text.h"

namespace tailgate::etl {
namespace {

template <typename T>
void put(const T& value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T take(std::string_view& from) {
  T value;
  std::memcpy(&value, from.data(), sizeof value);
  from.remove_prefix(sizeof value);
  return value;
}

std::string_view take_text(std::string_view& from) {
  const auto size = take<std::uint32_t>(from);
  const std::string_view text = from.substr(0, size);
  from.remove_prefix(size);
  return text;
}

// Appends what `append` appends, behind its size.
template <typename Append>
void put_sized(std::string& out, Append append) {
  const std::size_t at = out.size();
  put(std::uint32_t{0}, out);
  append();
  const auto size = static_cast<std::uint32_t>(out.size() - at - sizeof(std::uint32_t));
  std::memcpy(out.data() + at, &size, sizeof size);
}

// The same for text that need not be valid UTF-8.
template <typename Append>
void put_text(std::string& out, Append append) {
  put_sized(out, [&] {
    const std::size_t from = out.size();
    append();
    const std::string_view text = std::string_view(out).substr(from);
    if (is_utf8(text)) return;
    const std::string copy(text);
    out.resize(from);
    append_utf8({reinterpret_cast<const std::uint8_t*>(copy.data()), copy.size()}, out);
  });
}

void put_text(std::string_view text, std::string& out) {
  put_text(out, [&] { out += text; });
}

// Calls visit with the index of each field at the top.
template <typename Visit>
void visit_top(const std::vector<Field>& fields, Visit visit) {
  for (std::size_t at = 0; at < fields.size(); at = end_of_field(fields, at)) visit(at);
}

void put_names(const std::vector<Field>& fields, std::string& out) {
  put_sized(out, [&] {
    visit_top(fields, [&](std::size_t at) {
      const std::string_view name = fields[at].name.substr(0, kMaxRowNameBytes);
      out += static_cast<char>(name.size());
      out += name;
    });
  });
}
static_assert(kMaxRowNameBytes < 256, "a name's size is one byte");

// Returns false when the field is no number.
bool put_number(const Field& field, std::string& out) {
  if (!is_json_literal(field)) return false;
  const auto number = number_of(field);
  if (!number) return false;
  const auto whole = number->as_signed();
  if (whole) {
    const bool boolean = field.type == ValueType::bool8 || field.type == ValueType::bool32;
    put(boolean ? Cell::Kind::boolean : Cell::Kind::integer, out);
    put(*whole, out);
    return true;
  }
  put(number->is_real() ? Cell::Kind::real : Cell::Kind::number, out);
  if (number->is_real()) put(number->real(), out);
  put_sized(out, [&] { append_value(field, out); });
  return true;
}

void put_cell(const std::vector<Field>& fields, std::size_t at, std::string& out) {
  const Field& field = fields[at];
  if (field.kind != Field::Kind::value) {
    put(Cell::Kind::json, out);
    put_sized(out, [&] { append_bracket_json(fields, at, out); });
  } else if (put_number(field, out)) {
    return;
  } else if (is_shown_as_hex(field)) {
    put(Cell::Kind::bytes, out);
    put_sized(out, [&] {
      out.append(reinterpret_cast<const char*>(field.data.data()), field.data.size());
    });
  } else {
    put(Cell::Kind::text, out);
    put_text(out, [&] { append_value(field, out); });
  }
}

// Returns false when fields were left out.
bool put_cells(const std::vector<Field>& fields, std::string& out) {
  const std::size_t limit = out.size() + kMaxFieldsTextBytes;
  bool complete = true;
  put_sized(out, [&] {
    visit_top(fields, [&](std::size_t at) {
      if (out.size() < limit) return put_cell(fields, at, out);
      put(Cell::Kind::none, out);
      complete = false;
    });
  });
  return complete;
}

Cell take_cell(std::string_view& from) {
  Cell cell;
  cell.kind = take<Cell::Kind>(from);
  switch (cell.kind) {
    case Cell::Kind::none:
      break;
    case Cell::Kind::integer:
    case Cell::Kind::boolean:
      cell.integer = take<std::int64_t>(from);
      break;
    case Cell::Kind::real:
      cell.real = take<double>(from);
      cell.text = take_text(from);
      break;
    case Cell::Kind::number:
    case Cell::Kind::text:
    case Cell::Kind::json:
    case Cell::Kind::bytes:
      cell.text = take_text(from);
      break;
  }
  return cell;
}

RowHead head_of(const EventView& view, std::size_t session_number) {
  const RecordHeader& header = view.event.header;
  RowHead head;
  head.session = &view.session;
  head.session_number = session_number;
  head.time_ns = view.clock.elapsed_ns(view.record.time);
  head.process_id = header.process_id;
  head.thread_id = header.thread_id;
  head.processor = view.record.processor;
  head.id = header.id;
  head.version = header.version;
  head.opcode = header.opcode;
  head.level = header.level;
  return head;
}

}  // namespace

void Cell::append_json(std::string& out) const {
  switch (kind) {
    case Kind::none:
      out += "null";
      return;
    case Kind::integer:
      return append_number(integer, out);
    case Kind::boolean:
      out += integer != 0 ? "true" : "false";
      return;
    case Kind::real:
    case Kind::number:
    case Kind::json:
      out += text;
      return;
    case Kind::text:
      return append_json_string(text, out);
    case Kind::bytes:
      out += '"';
      append_hex({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, out);
      out += '"';
      return;
  }
}

void append_row(const EventView& view, std::size_t session_number, std::string& out) {
  const DecodedEvent& event = view.event;
  const Guid& activity = event.header.activity;
  put(head_of(view, session_number), out);
  put_names(event.fields, out);
  const bool complete = put_cells(event.fields, out) && event.complete;
  const NamedEvent named{event, view.record, view.names};
  put_text(event.provider_name, out);
  put_text(event.event_name, out);
  put_text(activity.is_zero() ? std::string() : to_text(activity), out);
  put_text(event.message, out);
  put_text(out, [&] { append_process_name(named, out); });
  put_text(out, [&] { append_file_name(named, out); });
  put_text(out, [&] { append_image_name(named, out); });
  std::string misfits;
  append_misfits(event, complete, " ", misfits);
  put_text(misfits.empty() ? std::string_view() : std::string_view(misfits).substr(1), out);
}

bool take_row(std::string_view& rows, TableRow& row) {
  if (rows.empty()) return false;
  row.head = take<RowHead>(rows);
  row.names = take_text(rows);
  row.cells.clear();
  for (std::string_view cells = take_text(rows); !cells.empty();) {
    row.cells.push_back(take_cell(cells));
  }
  for (std::string_view& text : row.texts) text = take_text(rows);
  return true;
}

std::vector<std::string_view> row_names(const TableRow& row) {
  std::vector<std::string_view> names;
  for (std::string_view left = row.names; !left.empty();) {
    const auto size = static_cast<std::size_t>(take<std::uint8_t>(left));
    names.push_back(left.substr(0, size));
    left.remove_prefix(size);
  }
  return names;
}

}  // namespace tailgate::etl
