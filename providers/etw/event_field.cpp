#include "providers/etw/event_field.h"

#include <algorithm>

#include "harness/base/log_fields.h"
#include "harness/etl/tracelogging.h"

namespace tailgate::etw {
namespace {

constexpr std::size_t kCountBytes = 2;

// The counted field that the payload begins with, which is taken off it.
std::optional<etl::Bytes> take_field(etl::Bytes& payload) {
  if (payload.size() < kCountBytes) return {};
  const std::size_t size = etl::load<std::uint16_t>(payload.data());
  payload = payload.subspan(kCountBytes);
  if (payload.size() < size) return {};
  const etl::Bytes field = payload.first(size);
  payload = payload.subspan(size);
  return field;
}

}  // namespace

std::optional<etl::Bytes> EventField::find(etl::Bytes metadata, etl::Bytes payload) {
  switch (kind_of(metadata)) {
    case Kind::log:
      return joined(payload);
    case Kind::one: {
      const auto bytes = take_field(payload);
      return payload.empty() ? bytes : std::nullopt;
    }
    case Kind::other:
      break;
  }
  return {};
}

std::optional<etl::Bytes> EventField::joined(etl::Bytes payload) {
  joined_.clear();
  for (std::size_t i = 0; i <= kLogFields; ++i) {  // the event's header comes first
    const auto field = take_field(payload);
    if (!field) return {};
    if (i > 1) joined_.push_back(static_cast<std::uint8_t>(kBetweenFields));
    joined_.insert(joined_.end(), field->begin(), field->end());
  }
  if (!payload.empty()) return {};
  return joined_;
}

EventField::Kind EventField::kind_of(etl::Bytes metadata) {
  if (!known_.empty() && std::equal(metadata.begin(), metadata.end(), known_.begin(), known_.end()))
    return known_kind_;
  known_.assign(metadata.begin(), metadata.end());
  known_kind_ = Kind::other;
  const std::unique_ptr<etl::EventSchema> schema = etl::parse_tracelogging(metadata);
  if (!schema || !schema->layout || schema->layout->properties.empty()) return known_kind_;
  const auto& fields = schema->layout->properties;
  if (fields.front().type != etl::ValueType::counted_binary) return known_kind_;
  const bool texts = std::all_of(fields.begin() + 1, fields.end(), [](const auto& field) {
    return field.type == etl::ValueType::counted_ansi;
  });
  if (fields.size() == 1) known_kind_ = Kind::one;
  if (fields.size() == 1 + kLogFields && texts) known_kind_ = Kind::log;
  return known_kind_;
}

}  // namespace tailgate::etw
