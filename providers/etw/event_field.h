// Extracts the one field of the provider's events (metadata.h) from an event that was read back.
#pragma once

#include <optional>
#include <vector>

#include "harness/etl/bytes.h"

namespace tailgate::etw {

class EventField {
 public:
  // metadata: the content of the extended item EVENT_SCHEMA_TL. Returns the field's bytes, a view
  // of the payload; nothing when the metadata does not describe exactly one counted binary field or
  // the payload has another size.
  std::optional<etl::Bytes> find(etl::Bytes metadata, etl::Bytes payload);

 private:
  bool describes_our_field(etl::Bytes metadata);

  std::vector<std::uint8_t> known_;  // metadata checked before; most events have the same
  bool known_is_ours_ = false;
};

}  // namespace tailgate::etw
