#include "providers/etw/event_field.h"

#include <algorithm>

#include "harness/etl/tracelogging.h"

namespace tailgate::etw {

std::optional<etl::Bytes> EventField::find(etl::Bytes metadata, etl::Bytes payload) {
  constexpr std::size_t kCountBytes = 2;
  if (!describes_our_field(metadata) || payload.size() < kCountBytes) return {};
  const etl::Bytes bytes = payload.subspan(kCountBytes);
  if (etl::load<std::uint16_t>(payload.data()) != bytes.size()) return {};
  return bytes;
}

bool EventField::describes_our_field(etl::Bytes metadata) {
  if (!known_.empty() && std::equal(metadata.begin(), metadata.end(), known_.begin(), known_.end()))
    return known_is_ours_;
  known_.assign(metadata.begin(), metadata.end());
  const std::unique_ptr<etl::EventSchema> schema = etl::parse_tracelogging(metadata);
  known_is_ours_ = schema && schema->layout && schema->layout->properties.size() == 1 &&
                   schema->layout->properties.front().type == etl::ValueType::counted_binary;
  return known_is_ours_;
}

}  // namespace tailgate::etw
