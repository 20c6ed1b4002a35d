// The one field of the provider's events (metadata.h), out of what came back of an event.
#pragma once

#include <optional>
#include <vector>

#include "providers/etw/etl/bytes.h"

namespace tailgate::etw {

class EventField {
 public:
  // metadata: of the extended item EVENT_SCHEMA_TL. The field's bytes, a view of the payload;
  // nothing when the metadata does not describe one counted binary field, or the payload is not
  // of its size.
  std::optional<etl::Bytes> find(etl::Bytes metadata, etl::Bytes payload);

 private:
  bool describes_our_field(etl::Bytes metadata);

  std::vector<std::uint8_t> known_;  // metadata that has been looked into, the same for most events
  bool known_is_ours_ = false;
};

}  // namespace tailgate::etw
