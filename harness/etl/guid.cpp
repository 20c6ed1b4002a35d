#include "harness/etl/guid.h"

namespace tailgate::etl {
namespace {

// For each stored byte its position among the byte pairs of the text. The first three groups are
// stored as little-endian integers, so their bytes appear reversed.
constexpr std::array<std::uint8_t, 16> kTextOrder = {3, 2, 1,  0,  5,  4,  7,  6,
                                                     8, 9, 10, 11, 12, 13, 14, 15};

constexpr bool dash_before(std::size_t pair) {
  return pair == 4 || pair == 6 || pair == 8 || pair == 10;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void write_guid(const std::uint8_t* guid_bytes, char* out) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (std::size_t pair = 0; pair < 16; ++pair) {
    if (dash_before(pair)) *out++ = '-';
    std::uint8_t byte = guid_bytes[kTextOrder[pair]];
    *out++ = kDigits[byte >> 4];
    *out++ = kDigits[byte & 15];
  }
}

std::string to_text(const Guid& guid) {
  std::string text(36, '\0');
  write_guid(guid.bytes.data(), text.data());
  return text;
}

std::optional<Guid> parse_guid(std::string_view text) {
  if (text.size() == 38 && text.front() == '{' && text.back() == '}') {
    text = text.substr(1, 36);
  }
  if (text.size() != 36) return std::nullopt;
  Guid guid;
  std::size_t at = 0;
  for (std::size_t pair = 0; pair < 16; ++pair) {
    if (dash_before(pair) && text[at++] != '-') return std::nullopt;
    int high = hex_digit(text[at++]);
    int low = hex_digit(text[at++]);
    if (high < 0 || low < 0) return std::nullopt;
    guid.bytes[kTextOrder[pair]] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return guid;
}

}  // namespace tailgate::etl
