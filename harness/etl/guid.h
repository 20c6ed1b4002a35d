// GUIDs in the byte order in which ETW stores them.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace tailgate::etl {

// 16 bytes: u32, u16 and u16 in little endian, then 8 bytes in order (the layout of Windows' GUID).
struct Guid {
  std::array<std::uint8_t, 16> bytes{};

  auto operator<=>(const Guid&) const = default;
  bool is_zero() const { return *this == Guid{}; }
};

// `at` points to 16 readable bytes.
inline Guid load_guid(const std::uint8_t* at) {
  Guid guid;
  std::memcpy(guid.bytes.data(), at, guid.bytes.size());
  return guid;
}

// "68fdd900-4a3e-11d1-84f4-0000f80464e3": lower case, no braces.
std::string to_text(const Guid& guid);

// Writes the 36 characters of to_text() to out.
void write_guid(const std::uint8_t* guid_bytes, char* out);

// Parses the form of to_text() in either case, with or without braces. Returns nothing for other
// text.
std::optional<Guid> parse_guid(std::string_view text);

struct GuidHash {
  std::size_t operator()(const Guid& guid) const {
    std::uint64_t low;
    std::uint64_t high;
    std::memcpy(&low, guid.bytes.data(), sizeof low);
    std::memcpy(&high, guid.bytes.data() + 8, sizeof high);
    return static_cast<std::size_t>((low * 0x9E3779B97F4A7C15u) ^ (high * 0xC2B2AE3D27D4EB4Fu));
  }
};

}  // namespace tailgate::etl
