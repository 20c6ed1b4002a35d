#include "harness/etl/value_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "harness/base/quoting.h"
#include "harness/etl/field_value.h"
#include "harness/etl/log_header.h"
#include "harness/etl/text.h"
#include "harness/etl/time_zone.h"

namespace tailgate::etl {
namespace {

void append_hex_number(std::uint64_t value, std::string& out) {
  char buffer[16];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, 16);
  out.append("0x").append(buffer, end);
}

void append_mapped(const ValueMap& map, std::uint32_t value, std::string& out) {
  // Many entries may name the same bits, by one long text.
  constexpr std::size_t kMaxNamesBytes = 1u << 20;
  const std::size_t from = out.size();
  std::string_view whole = map.find(value);
  if (!whole.empty() || !map.bitmap) {
    if (whole.empty()) {
      append_number(std::uint64_t{value}, out);
    } else {
      out += whole;
    }
    return;
  }
  std::uint32_t rest = value;
  bool first = true;
  for (const auto& [bits, name] : map.entries) {
    if (out.size() - from >= kMaxNamesBytes) break;
    if (bits == 0 || (value & bits) != bits) continue;
    if (!first) out += '|';
    first = false;
    out += name.view();
    rest &= ~bits;
  }
  if (rest != 0 || first) {
    if (!first) out += '|';
    append_hex_number(rest, out);
  }
}

void append_ipv4(const std::uint8_t* at, std::string& out) {
  for (int i = 0; i < 4; ++i) {
    if (i > 0) out += '.';
    append_number(std::uint64_t{at[i]}, out);
  }
}

// RFC 5952: the longest run of two or more zero groups becomes "::".
void append_ipv6(const std::uint8_t* at, std::string& out) {
  int run_at = -1;
  int run_length = 1;
  for (int i = 0; i < 8; ++i) {
    int length = 0;
    while (i + length < 8 && at[2 * (i + length)] == 0 && at[2 * (i + length) + 1] == 0) ++length;
    if (length > run_length) {
      run_at = i;
      run_length = length;
    }
  }
  for (int i = 0; i < 8; ++i) {
    if (i == run_at) {
      out += "::";
      i += run_length - 1;
      continue;
    }
    bool behind_run = run_at >= 0 && i == run_at + run_length;
    if (i > 0 && !behind_run) out += ':';
    char buffer[4];
    auto group = static_cast<unsigned>(at[2 * i] << 8 | at[2 * i + 1]);
    auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, group, 16);
    out.append(buffer, end);
  }
}

void append_port(const std::uint8_t* at, std::string& out) {
  append_number(static_cast<std::uint64_t>(at[0] << 8 | at[1]), out);
}

// A SOCKADDR in Windows' layout.
void append_socket_address(Bytes data, std::string& out) {
  constexpr std::uint16_t kInet = 2;
  constexpr std::uint16_t kInet6 = 23;
  std::uint16_t family = data.size() >= 2 ? load<std::uint16_t>(data.data()) : std::uint16_t{0};
  if (family == kInet && data.size() >= 8) {
    append_ipv4(data.data() + 4, out);
  } else if (family == kInet6 && data.size() >= 24) {
    out += '[';
    append_ipv6(data.data() + 8, out);
    out += ']';
  } else {
    append_hex(data, out);
    return;
  }
  out += ':';
  append_port(data.data() + 2, out);
}

void append_sid(Bytes sid, std::string& out) {
  if (sid.size() < 8) return;
  std::uint64_t authority = 0;
  for (int i = 2; i < 8; ++i) authority = authority << 8 | sid[static_cast<std::size_t>(i)];
  fmt::format_to(std::back_inserter(out), "S-{}-{}", sid[0], authority);
  for (std::size_t at = 8; at + 4 <= sid.size(); at += 4) {
    out += '-';
    append_number(std::uint64_t{load<std::uint32_t>(sid.data() + at)}, out);
  }
}

void append_systemtime(const std::uint8_t* at, std::string& out) {
  auto part = [at](int index) { return load<std::uint16_t>(at + 2 * index); };
  fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", part(0),
                 part(1), part(3), part(4), part(5), part(6), part(7));
}

void append_double(double value, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}

// Whether the value's text consists of digits and their punctuation, which need no escaping. False
// for all other values.
bool is_number_text(const Field& field) {
  return field.map == nullptr && field.format != ValueFormat::string && is_integer(field.type);
}

void append_integer(const Field& field, std::string& out) {
  std::uint64_t value = unsigned_value(field.data);
  if (field.map != nullptr) {
    append_mapped(*field.map, static_cast<std::uint32_t>(value), out);
    return;
  }
  switch (field.format) {
    case ValueFormat::string:
      append_code_point(static_cast<std::uint32_t>(value), out);
      return;
    case ValueFormat::boolean:
      out += value != 0 ? "true" : "false";
      return;
    case ValueFormat::hex:
    case ValueFormat::ntstatus:
    case ValueFormat::hresult:
      append_hex_number(value, out);
      return;
    case ValueFormat::port:
      if (field.data.size() == 2) {
        append_port(field.data.data(), out);
        return;
      }
      break;
    case ValueFormat::ipv4:
      if (field.data.size() == 4) {
        append_ipv4(field.data.data(), out);
        return;
      }
      break;
    case ValueFormat::filetime:
      out += filetime_text(static_cast<std::int64_t>(value));
      return;
    default:
      break;
  }
  bool with_sign = field.format == ValueFormat::as_signed ||
                   (is_signed(field.type) && field.format != ValueFormat::as_unsigned);
  if (with_sign) {
    append_number(signed_value(field.data), out);
  } else {
    append_number(value, out);
  }
}

void append_binary(const Field& field, std::string& out) {
  if (field.format == ValueFormat::ipv6 && field.data.size() == 16) {
    append_ipv6(field.data.data(), out);
  } else if (field.format == ValueFormat::socket_address) {
    append_socket_address(field.data, out);
  } else if (field.format == ValueFormat::string || field.format == ValueFormat::utf8) {
    append_utf8(field.data, out);
  } else {
    append_hex(field.data, out);
  }
}

}  // namespace

bool is_json_literal(const Field& field) {
  if (field.map != nullptr) return false;
  switch (field.type) {
    case ValueType::bool8:
    case ValueType::bool32:
      return true;
    case ValueType::f32:
      return std::isfinite(load<float>(field.data.data()));
    case ValueType::f64:
      return std::isfinite(load<double>(field.data.data()));
    case ValueType::hex32:
    case ValueType::hex64:
    case ValueType::pointer:
      return false;
    default:
      break;
  }
  return is_integer(field.type) && field.format != ValueFormat::string &&
         field.format != ValueFormat::hex && field.format != ValueFormat::ntstatus &&
         field.format != ValueFormat::hresult && field.format != ValueFormat::ipv4 &&
         field.format != ValueFormat::filetime;
}

bool is_shown_as_hex(const Field& field) {
  const bool bytes = field.type == ValueType::binary || field.type == ValueType::counted_binary ||
                     field.type == ValueType::hexdump || field.type == ValueType::rest_binary;
  const bool text = field.format == ValueFormat::ipv6 ||
                    field.format == ValueFormat::socket_address ||
                    field.format == ValueFormat::string || field.format == ValueFormat::utf8;
  return bytes && !text;
}

void append_number(std::int64_t value, std::string& out) {
  fmt::format_int text(value);
  out.append(text.data(), text.size());
}

void append_number(std::uint64_t value, std::string& out) {
  fmt::format_int text(value);
  out.append(text.data(), text.size());
}

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

void append_hex(Bytes bytes, std::string& out) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (std::uint8_t byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

void append_value(const Field& field, std::string& out) {
  const std::uint8_t* at = field.data.data();
  switch (field.type) {
    case ValueType::utf16:
    case ValueType::counted_utf16:
    case ValueType::counted_utf16_big:
    case ValueType::rest_utf16:
      return append_utf16(field.data, out);
    case ValueType::ansi:
    case ValueType::counted_ansi:
    case ValueType::counted_ansi_big:
    case ValueType::rest_ansi:
      return append_utf8(field.data, out);
    case ValueType::i8:
    case ValueType::u8:
    case ValueType::i16:
    case ValueType::u16:
    case ValueType::i32:
    case ValueType::u32:
    case ValueType::i64:
    case ValueType::u64:
    case ValueType::size:
      return append_integer(field, out);
    case ValueType::bool8:
    case ValueType::bool32:
      if (field.map != nullptr) return append_integer(field, out);
      out += unsigned_value(field.data) != 0 ? "true" : "false";
      return;
    case ValueType::hex32:
    case ValueType::hex64:
    case ValueType::pointer:
      if (field.map != nullptr || field.format == ValueFormat::ipv4) {
        return append_integer(field, out);
      }
      return append_hex_number(unsigned_value(field.data), out);
    case ValueType::f32:
      return append_double(static_cast<double>(load<float>(at)), out);
    case ValueType::f64:
      return append_double(load<double>(at), out);
    case ValueType::guid: {
      char text[36];
      write_guid(at, text);
      out.append(text, sizeof text);
      return;
    }
    case ValueType::filetime:
      out += filetime_text(load<std::int64_t>(at));
      return;
    case ValueType::systemtime:
      return append_systemtime(at, out);
    case ValueType::clock_change:
      out += clock_change_text(ClockChange::load_from(at));
      return;
    case ValueType::sid:
    case ValueType::token_sid:
      return append_sid(field.data, out);
    case ValueType::ipv6:
      return append_ipv6(at, out);
    case ValueType::binary:
    case ValueType::counted_binary:
    case ValueType::hexdump:
    case ValueType::rest_binary:
      return append_binary(field, out);
    case ValueType::none:
    case ValueType::structure:
    case ValueType::padding:
      return;
  }
}

namespace {

// Whether one of eight characters may need escaping: a control character, a backslash, or one that
// is not ASCII. Tests all eight at once; characters after one that does may be reported wrongly,
// too.
bool may_need_escape(std::uint64_t eight) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  const auto has = [&](char c) {
    std::uint64_t differs = eight ^ kEach * static_cast<std::uint8_t>(c);
    return (differs - kEach) & ~differs;
  };
  std::uint64_t control = (eight - kEach * 0x20) & ~eight;
  return ((eight | control | has('\x7f') | has('\\')) & kEach * 0x80) != 0;
}

// The same for a text of any length; few texts need escaping.
bool may_need_escape(std::string_view text) {
  std::uint64_t eight = 0x2020202020202020;
  if (text.size() < sizeof eight) {
    std::memcpy(&eight, text.data(), text.size());
    return may_need_escape(eight);
  }
  std::size_t last = text.size() - sizeof eight;
  for (std::size_t at = 0; at < last; at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if (may_need_escape(eight)) return true;
  }
  std::memcpy(&eight, text.data() + last, sizeof eight);
  return may_need_escape(eight);
}

// Escapes the text that append_value() wrote at `from` and after.
void escape_behind(std::size_t from, std::string& out) {
  std::string_view added = std::string_view(out).substr(from);
  if (!may_need_escape(added)) return;
  std::string copy(added);
  out.resize(from);
  append_escaped(copy, out);
}

}  // namespace

void append_escaped(std::string_view text, std::string& out) {
  if (may_need_escape(text)) {
    out += tsv_cell(text);
  } else {
    out += text;
  }
}

bool append_fields_tsv(const std::vector<Field>& fields, std::string& out) {
  const std::size_t limit = out.size() + kMaxFieldsTextBytes;
  std::string closers;  // of the open brackets
  bool first = true;    // in the innermost bracket
  for (const Field& field : fields) {
    if (out.size() >= limit) {
      out.append(closers.rbegin(), closers.rend());
      return false;
    }
    bool ends = field.kind == Field::Kind::end_array || field.kind == Field::Kind::end_structure;
    if (!ends) {
      if (closers.empty()) {
        out += '\t';
      } else if (!first) {
        out += ',';
      }
      if (!field.name.empty()) {
        append_escaped(field.name, out);
        out += '=';
      }
    }
    std::size_t from = out.size();
    switch (field.kind) {
      case Field::Kind::value:
        append_value(field, out);
        if (!is_number_text(field)) escape_behind(from, out);
        first = false;
        break;
      case Field::Kind::begin_array:
      case Field::Kind::begin_structure:
        out += field.kind == Field::Kind::begin_array ? '[' : '{';
        closers += field.kind == Field::Kind::begin_array ? ']' : '}';
        first = true;
        break;
      case Field::Kind::end_array:
      case Field::Kind::end_structure:
        out += closers.back();
        closers.pop_back();
        first = false;
        break;
    }
  }
  return true;
}

void append_json_string(std::string_view text, std::string& out) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const std::size_t from = out.size();
  const bool ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < 0x7F; });
  // Names come from manifests and TMF files and need not be valid UTF-8.
  std::string valid;
  if (!ascii) {
    append_utf8(Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), valid);
    text = valid;
  }
  out += '"';
  for (char c : text) {
    auto byte = static_cast<std::uint8_t>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
  if (!ascii) out.replace(from, std::string::npos, json_text(out.substr(from)));
}

namespace {

// Writes fields as JSON. For each open bracket it keeps whether that is an object, and the names
// used in it.
class JsonFields {
 public:
  explicit JsonFields(std::string& out) : out_(out) {}

  bool write(const std::vector<Field>& fields) {
    const std::size_t limit = out_.size() + kMaxFieldsTextBytes;
    open('{');
    bool complete = true;
    for (const Field& field : fields) {
      complete = out_.size() < limit;
      if (!complete) break;
      write_one(field);
    }
    while (!levels_.empty()) close(levels_.back().object ? '}' : ']');
    return complete;
  }

 private:
  struct Level {
    bool object;
    bool first = true;
    std::unordered_map<std::string_view, std::size_t> times_of_name;
  };

  void open(char bracket) {
    out_ += bracket;
    levels_.push_back({bracket == '{', true, {}});
  }

  void close(char bracket) {
    out_ += bracket;
    levels_.pop_back();
  }

  void begin_value(const Field& field) {
    Level& level = levels_.back();
    if (!level.first) out_ += ',';
    level.first = false;
    if (!level.object) return;
    std::size_t same = ++level.times_of_name[field.name];
    if (same == 1) {
      append_json_string(field.name, out_);
    } else {
      append_json_string(fmt::format("{}#{}", field.name, same), out_);
    }
    out_ += ':';
  }

  void write_one(const Field& field) {
    switch (field.kind) {
      case Field::Kind::value:
        begin_value(field);
        if (is_json_literal(field)) {
          append_value(field, out_);
        } else {
          scratch_.clear();
          append_value(field, scratch_);
          append_json_string(scratch_, out_);
        }
        break;
      case Field::Kind::begin_array:
        begin_value(field);
        open('[');
        break;
      case Field::Kind::begin_structure:
        begin_value(field);
        open('{');
        break;
      case Field::Kind::end_array:
        close(']');
        break;
      case Field::Kind::end_structure:
        close('}');
        break;
    }
  }

  std::string& out_;
  std::string scratch_;
  std::vector<Level> levels_;
};

}  // namespace

bool append_fields_json(const std::vector<Field>& fields, std::string& out) {
  return JsonFields(out).write(fields);
}

std::size_t end_of_field(const std::vector<Field>& fields, std::size_t at) {
  std::size_t depth = 0;
  for (; at < fields.size(); ++at) {
    const Field::Kind kind = fields[at].kind;
    if (kind == Field::Kind::begin_array || kind == Field::Kind::begin_structure) ++depth;
    if (kind == Field::Kind::end_array || kind == Field::Kind::end_structure) --depth;
    if (depth == 0) return at + 1;
  }
  return at;
}

void append_bracket_json(const std::vector<Field>& fields, std::size_t at, std::string& out) {
  const auto begin = fields.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<Field> inside(begin,
                            fields.begin() + static_cast<std::ptrdiff_t>(end_of_field(fields, at)));
  if (inside.empty()) return;
  inside.front().name = {};
  std::string object;
  append_fields_json(inside, object);
  constexpr std::string_view kBefore = "{\"\":";
  out += std::string_view(object).substr(kBefore.size(), object.size() - kBefore.size() - 1);
}

}  // namespace tailgate::etl
