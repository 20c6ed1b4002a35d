// Extracts the provider's event (metadata.h) from a record that was read back: its one field, or
// the fields of a log line, which it puts together again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/etl/bytes.h"

namespace tailgate::etw {

class EventField {
 public:
  // metadata: the content of the extended item EVENT_SCHEMA_TL. Returns the event's bytes, a view
  // of the payload or, of several fields, of memory that the next call overwrites. Nothing when the
  // metadata describes neither, or when the payload has another size.
  std::optional<etl::Bytes> find(etl::Bytes metadata, etl::Bytes payload);

 private:
  enum class Kind : std::uint8_t { other, one, log };

  Kind kind_of(etl::Bytes metadata);
  std::optional<etl::Bytes> joined(etl::Bytes payload);

  std::vector<std::uint8_t> known_;  // metadata checked before; most events have the same
  Kind known_kind_ = Kind::other;
  std::vector<std::uint8_t> joined_;
};

}  // namespace tailgate::etw
