// Decodes a payload by its schema without copying: the fields point into the record.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/etl/bytes.h"
#include "harness/etl/schema.h"

namespace tailgate::etl {

// One step through a decoded event: a value, or the begin or end of a structure or an array. The
// elements of an array have no names.
struct Field {
  enum class Kind : std::uint8_t { value, begin_structure, end_structure, begin_array, end_array };

  std::string_view name;
  Bytes data;  // the value's bytes: text without NUL or count, a SID without its prefix
  const ValueMap* map = nullptr;
  Kind kind = Kind::value;
  ValueType type = ValueType::none;
  ValueFormat format = ValueFormat::standard;
};

// Accounts for every byte of a payload and every field of its layout: the bytes behind
// consumed_bytes are left over.
struct PayloadResult {
  std::size_t consumed_bytes = 0;  // of fields and of padding
  std::size_t padding_bytes = 0;   // of these, what the layout calls padding
  std::size_t missing_fields = 0;  // fields of the layout that the payload ends before
  bool complete = true;  // false: the payload ended within a field, or a count was impossible
};

// Appends the payload's fields to `fields`, in order, until the payload ends. Layouts grow at their
// end, so an event of an older version has fewer fields; the result counts what is missing. Only
// optional fields, and those that may be empty, are never missing. pointer_bytes: 4 or 8. Limits:
// 65,536 fields per event and structures 16 deep; beyond them the result is not complete.
PayloadResult decode_payload(const EventSchema& schema, Bytes payload, unsigned pointer_bytes,
                             std::vector<Field>& fields);

}  // namespace tailgate::etl
