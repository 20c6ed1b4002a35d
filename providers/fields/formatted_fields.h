// Fields of an event as text, "name=value" after a blank, as most loggers write them (logfmt).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/base/enum_text.h"
#include "harness/base/event.h"

namespace tailgate {

// What a field's value is before it is formatted.
enum class FieldKind { text, integer, real };
template <>
inline constexpr auto kEnumTexts<FieldKind> = enum_texts<FieldKind>(
    {{FieldKind::text, "text"}, {FieldKind::integer, "integer"}, {FieldKind::real, "real"}});

inline constexpr std::size_t kMaxFields = 32;
// " f07=4123456789": texts and integers have 10 characters, numbers with a fraction 11 at most.
inline constexpr std::size_t kMaxFieldBytes = 16;

// The room that so many fields and the blank behind the last one may need.
constexpr std::size_t room_for_fields(std::size_t count) {
  return count == 0 ? 0 : count * kMaxFieldBytes + 1;
}

// Writes `count` fields and a blank into the event's body, right after the header; returns where
// they end, in bytes from the event's start. Their values follow from the bytes of the event's
// sequence number, so that a reader can tell them. The event must have min_event_bytes(encoding) +
// room_for_fields(count) bytes, and its header must be written. Allocates nothing.
std::size_t format_fields(std::span<std::byte> event, EventEncoding encoding, FieldKind kind,
                          std::size_t count) noexcept;

}  // namespace tailgate
