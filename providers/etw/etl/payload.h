// Decodes a payload by its schema, without copying: fields point into the record.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "providers/etw/etl/bytes.h"
#include "providers/etw/etl/schema.h"

namespace tailgate::etl {

// One step through a decoded event: a value, or the begin or end of a structure or array. An
// array's elements have no name of their own.
struct Field {
  enum class Kind : std::uint8_t { value, begin_structure, end_structure, begin_array, end_array };

  std::string_view name;
  Bytes data;  // the value's bytes: text without NUL or count, a SID without what precedes it
  const ValueMap* map = nullptr;
  Kind kind = Kind::value;
  ValueType type = ValueType::none;
  ValueFormat format = ValueFormat::standard;
};

struct PayloadResult {
  std::size_t consumed_bytes = 0;
  bool complete = true;  // false: the payload ended inside a field, or a count was absurd
};

// Appends the payload's fields to `fields`, in order, up to where the payload ends: layouts grow by
// fields at their end, so an event of an older version simply has fewer. pointer_bytes: 4 or 8.
// Limits: 65,536 fields an event, structures 16 deep; beyond them the result is not complete.
PayloadResult decode_payload(const EventSchema& schema, Bytes payload, unsigned pointer_bytes,
                             std::vector<Field>& fields);

}  // namespace tailgate::etl
