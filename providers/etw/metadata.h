// The metadata of self-describing events (TraceLogging), built at compile time and written with
// each event. Layout: each block begins with a u16 size of the whole block. A provider's block goes
// on with its name and a NUL. An event's block goes on with a byte of tags, its name and a NUL, and
// for each field the field's name, a NUL and a type
// (https://learn.microsoft.com/windows/win32/tracelogging/).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tailgate::etw {

// The type of a field that consists of a u16 count and that many bytes (TlgInBINARY).
inline constexpr std::uint8_t kBinaryField = 14;

template <std::size_t kNameBytes>
constexpr auto provider_metadata(const char (&name)[kNameBytes]) {
  std::array<std::uint8_t, 2 + kNameBytes> block{};
  block[0] = static_cast<std::uint8_t>(block.size());
  std::copy_n(name, kNameBytes, block.begin() + 2);
  return block;
}

// An event with one binary field.
template <std::size_t kNameBytes, std::size_t kFieldBytes>
constexpr auto event_metadata(const char (&name)[kNameBytes], const char (&field)[kFieldBytes]) {
  std::array<std::uint8_t, 2 + 1 + kNameBytes + kFieldBytes + 1> block{};
  block[0] = static_cast<std::uint8_t>(block.size());
  std::copy_n(name, kNameBytes, block.begin() + 3);
  std::copy_n(field, kFieldBytes, block.begin() + 3 + kNameBytes);
  block.back() = kBinaryField;
  return block;
}

// The types of a field that consists of a u16 count and that many bytes of UTF-8
// (TlgInCOUNTEDANSISTRING, and TlgOutUTF8 behind it).
inline constexpr std::uint8_t kCountedText = 23;
inline constexpr std::uint8_t kAsUtf8 = 35;
inline constexpr std::uint8_t kHasOutType = 0x80;

// An event with a binary field and fields of text.
template <std::size_t kNameBytes, std::size_t kFieldBytes, std::size_t... kTextBytes>
constexpr auto log_metadata(const char (&name)[kNameBytes], const char (&field)[kFieldBytes],
                            const char (&... texts)[kTextBytes]) {
  std::array<std::uint8_t, 2 + 1 + kNameBytes + kFieldBytes + 1 + (0 + ... + (kTextBytes + 2))>
      block{};
  block[0] = static_cast<std::uint8_t>(block.size());
  auto at = std::copy_n(name, kNameBytes, block.begin() + 3);
  at = std::copy_n(field, kFieldBytes, at);
  *at++ = kBinaryField;
  const auto add = [&at](const char* text, std::size_t bytes) {
    at = std::copy_n(text, bytes, at);
    *at++ = kCountedText | kHasOutType;
    *at++ = kAsUtf8;
  };
  (add(texts, kTextBytes), ...);
  return block;
}

inline constexpr auto kProviderMetadata = provider_metadata("Tailgate");
inline constexpr auto kEventMetadata = event_metadata("Event", "bytes");
// Of a log line, behind tailgate's own header of the event.
inline constexpr auto kLogMetadata =
    log_metadata("Log", "header", "time", "level", "logger", "caller", "message", "fields");

}  // namespace tailgate::etw
