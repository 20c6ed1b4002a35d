// Reads single values of events by their fields' names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/etl/field_value.h"
#include "harness/etl/payload.h"
#include "harness/etl/value_text.h"

namespace tailgate::etl {

inline std::uint64_t pointer_at(const std::uint8_t* at, unsigned pointer_bytes) {
  return pointer_bytes == 8 ? load<std::uint64_t>(at) : load<std::uint32_t>(at);
}

// The first value of that name; null when there is none.
inline const Field* find_field(std::span<const Field> fields, std::string_view name) {
  for (const Field& field : fields) {
    if (field.kind == Field::Kind::value && field.name == name) return &field;
  }
  return nullptr;
}

// 0 when there is none.
inline std::uint64_t number_in(std::span<const Field> fields, std::string_view name) {
  const Field* field = find_field(fields, name);
  return field == nullptr ? 0 : unsigned_value(field->data);
}

// As reports show it; empty when there is none.
inline std::string text_in(std::span<const Field> fields, std::string_view name) {
  std::string text;
  if (const Field* field = find_field(fields, name)) append_value(*field, text);
  return text;
}

}  // namespace tailgate::etl
