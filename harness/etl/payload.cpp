#include "harness/etl/payload.h"

#include <algorithm>
#include <array>
#include <span>

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxFields = 65536;
constexpr std::size_t kMaxPayloadSlots = 1024;

// Size in bytes of a type of fixed size; 0 for the others.
std::size_t fixed_bytes(ValueType type, unsigned pointer_bytes) {
  switch (type) {
    case ValueType::i8:
    case ValueType::u8:
    case ValueType::bool8:
      return 1;
    case ValueType::i16:
    case ValueType::u16:
      return 2;
    case ValueType::i32:
    case ValueType::u32:
    case ValueType::f32:
    case ValueType::bool32:
    case ValueType::hex32:
      return 4;
    case ValueType::i64:
    case ValueType::u64:
    case ValueType::f64:
    case ValueType::hex64:
    case ValueType::filetime:
      return 8;
    case ValueType::guid:
    case ValueType::systemtime:
    case ValueType::clock_change:
    case ValueType::ipv6:
      return 16;
    case ValueType::pointer:
    case ValueType::size:
      return pointer_bytes;
    default:
      return 0;
  }
}

class Interpreter {
 public:
  Interpreter(Bytes payload, unsigned pointer_bytes, std::vector<Field>& fields)
      : cursor_(payload), pointer_bytes_(pointer_bytes), fields_(fields) {}

  PayloadResult run(const PayloadLayout& layout) {
    // Clears only the slots that the layout uses: most events use none or few.
    std::fill_n(slots_.begin(), std::min(kMaxPayloadSlots, std::size_t{layout.slots}), 0u);
    used_slots_ = layout.slots;
    result_.complete = decode_all(layout.properties, 0);
    result_.consumed_bytes = cursor_.position();
    return result_;
  }

 private:
  bool decode_all(const std::vector<Property>& properties, int depth) {
    if (depth > kMaxStructureDepth) return false;
    for (std::size_t i = 0; i < properties.size(); ++i) {
      if (cursor_.left() == 0 && depth == 0 && needs_bytes(properties[i])) {
        count_missing(std::span(properties).subspan(i));
        return true;
      }
      if (!decode_property(properties[i], depth)) return false;
    }
    return true;
  }

  // Whether a property takes at least one byte, whatever the values of others are.
  static bool needs_bytes(const Property& property) {
    switch (property.type) {
      case ValueType::none:
      case ValueType::padding:
      case ValueType::rest_utf16:
      case ValueType::rest_ansi:
      case ValueType::rest_binary:
        return false;
      default:
        return property.count_kind != Property::Count::from_property &&
               property.length_kind != Property::Length::from_property;
    }
  }

  void count_missing(std::span<const Property> properties) {
    for (const Property& property : properties) {
      if (property.optional) return;  // and so are those behind it
      bool wanted = needs_bytes(property) && property.count_kind != Property::Count::rest;
      if (wanted) ++result_.missing_fields;
    }
  }

  bool decode_property(const Property& property, int depth) {
    std::size_t count = 0;
    switch (property.count_kind) {
      case Property::Count::one:
        return decode_one(property, property.name, depth);
      case Property::Count::fixed:
        count = property.count;
        break;
      case Property::Count::from_property:
        count = slot(property.count);
        break;
      case Property::Count::prefixed: {
        auto prefix = cursor_.take<std::uint16_t>();
        if (!prefix) return false;
        count = *prefix;
        break;
      }
      case Property::Count::rest:
        count = kMaxFields;
        break;
    }
    bool to_end = property.count_kind == Property::Count::rest;
    push(Field::Kind::begin_array, property, property.name);
    bool complete = true;
    for (std::size_t i = 0; complete && i < count; ++i) {
      if (to_end && cursor_.left() == 0) break;
      complete = decode_one(property, {}, depth);
    }
    push(Field::Kind::end_array, property, property.name);
    return complete;
  }

  bool decode_one(const Property& property, std::string_view name, int depth) {
    if (fields_.size() >= kMaxFields) return false;
    if (property.type == ValueType::structure) {
      push(Field::Kind::begin_structure, property, name);
      bool complete = decode_all(property.members, depth + 1);
      push(Field::Kind::end_structure, property, name);
      return complete;
    }
    std::size_t fixed = fixed_bytes(property.type, pointer_bytes_);
    Bytes data;
    if (fixed != 0) {
      auto taken = cursor_.take_bytes(fixed);
      if (!taken) return false;
      data = *taken;
      if (property.slot < kMaxPayloadSlots) slots_[property.slot] = integer(data);
    } else if (property.type == ValueType::padding) {
      skip_padding(property.length);
      return true;
    } else if (!take_variable(property, data)) {
      return false;
    }
    push(Field::Kind::value, property, name).data = data;
    return true;
  }

  void skip_padding(std::size_t most) {
    std::size_t size = std::min(most, cursor_.left());
    cursor_.take_bytes(size);
    result_.padding_bytes += size;
  }

  bool take_variable(const Property& property, Bytes& data) {
    switch (property.type) {
      case ValueType::utf16:
        if (property.length_kind == Property::Length::natural) {
          data = cursor_.take_string16();
          return true;
        }
        return take_sized(declared_length(property) * 2, data) && trim16(data);
      case ValueType::ansi:
        if (property.length_kind == Property::Length::natural) {
          data = cursor_.take_string8();
          return true;
        }
        return take_sized(declared_length(property), data) && trim8(data);
      case ValueType::binary:
        return take_sized(declared_length(property), data);
      case ValueType::counted_utf16:
      case ValueType::counted_ansi:
      case ValueType::counted_binary:
      case ValueType::counted_utf16_big:
      case ValueType::counted_ansi_big:
        return take_counted(property.type, data);
      case ValueType::rest_utf16:
      case ValueType::rest_ansi:
      case ValueType::rest_binary:
        return take_sized(cursor_.left(), data);
      case ValueType::hexdump: {
        auto size = cursor_.take<std::uint32_t>();
        return size && take_sized(*size, data);
      }
      case ValueType::sid:
        return take_sid(data);
      case ValueType::token_sid:
        return take_token_sid(data);
      default:
        return true;  // type none has no bytes
    }
  }

  bool take_sized(std::size_t size, Bytes& data) {
    auto taken = cursor_.take_bytes(size);
    if (taken) data = *taken;
    return taken.has_value();
  }

  bool take_counted(ValueType type, Bytes& data) {
    auto size = cursor_.take<std::uint16_t>();
    if (!size) return false;
    bool big = type == ValueType::counted_utf16_big || type == ValueType::counted_ansi_big;
    unsigned bytes = big ? ((*size & 0xFFu) << 8 | *size >> 8) : *size;
    return take_sized(bytes, data);
  }

  bool take_sid(Bytes& data) {
    if (cursor_.left() < 8) return false;
    return take_sized(8 + 4 * std::size_t{cursor_.rest()[1]}, data);
  }

  bool take_token_sid(Bytes& data) {
    Bytes rest = cursor_.rest();
    if (rest.size() < 4) return false;
    if (load<std::uint32_t>(rest.data()) == 0) return cursor_.take_bytes(4).has_value();
    return cursor_.take_bytes(2 * std::size_t{pointer_bytes_}) && take_sid(data);
  }

  // Text of a fixed length is padded with NULs.
  static bool trim16(Bytes& data) {
    data = ByteCursor(data).take_string16();
    return true;
  }
  static bool trim8(Bytes& data) {
    data = ByteCursor(data).take_string8();
    return true;
  }

  std::size_t declared_length(const Property& property) const {
    return property.length_kind == Property::Length::fixed ? property.length
                                                           : slot(property.length);
  }

  static std::uint32_t integer(Bytes data) {
    if (data.size() == 1) return data[0];
    if (data.size() == 2) return load<std::uint16_t>(data.data());
    return load<std::uint32_t>(data.data());
  }

  std::uint32_t slot(std::size_t index) const {
    return index < kMaxPayloadSlots && index < used_slots_ ? slots_[index] : 0;
  }

  Field& push(Field::Kind kind, const Property& property, std::string_view name) {
    Field& field = fields_.emplace_back();
    field.kind = kind;
    field.name = name;
    field.type = property.type;
    field.format = property.format;
    field.map = property.map.get();
    return field;
  }

  ByteCursor cursor_;
  unsigned pointer_bytes_;
  std::vector<Field>& fields_;
  PayloadResult result_;
  std::size_t used_slots_ = 0;
  std::array<std::uint32_t, kMaxPayloadSlots> slots_;
};

}  // namespace

PayloadResult decode_payload(const EventSchema& schema, Bytes payload, unsigned pointer_bytes,
                             std::vector<Field>& fields) {
  if (!schema.layout) return {};
  return Interpreter(payload, pointer_bytes, fields).run(*schema.layout);
}

}  // namespace tailgate::etl
