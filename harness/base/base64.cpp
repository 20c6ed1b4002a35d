#include "harness/base/base64.h"

#include <array>
#include <cstdint>

#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t not_a_digit = 0xff;

constexpr std::array<std::uint8_t, 256> make_digit_table() {
  std::array<std::uint8_t, 256> table{};
  table.fill(not_a_digit);
  for (std::size_t digit = 0; digit < alphabet.size(); ++digit) {
    table[static_cast<unsigned char>(alphabet[digit])] = static_cast<std::uint8_t>(digit);
  }
  return table;
}

constexpr std::array<std::uint8_t, 256> digits = make_digit_table();

std::uint32_t digit_at(std::string_view text, std::size_t at) {
  return digits[static_cast<unsigned char>(text[at])];
}

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

[[noreturn]] void reject(std::string_view text, std::size_t from) {
  while (from < text.size() && digit_at(text, from) != not_a_digit) ++from;
  throw Error("base64 text is broken at character " + std::to_string(from + 1) + " of " +
                  std::to_string(text.size()),
              "check that the text is complete and has no line breaks");
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  std::size_t at = 0;
  std::size_t from = 0;
  for (; from + 3 <= bytes.size(); from += 3) {
    const std::uint32_t group =
        byte_at(bytes, from) << 16 | byte_at(bytes, from + 1) << 8 | byte_at(bytes, from + 2);
    text[at++] = alphabet[group >> 18];
    text[at++] = alphabet[group >> 12 & 63];
    text[at++] = alphabet[group >> 6 & 63];
    text[at++] = alphabet[group & 63];
  }
  const std::size_t left = bytes.size() - from;
  if (left == 0) return text;
  const std::uint32_t group =
      byte_at(bytes, from) << 16 | (left == 2 ? byte_at(bytes, from + 1) << 8 : 0);
  text[at++] = alphabet[group >> 18];
  text[at++] = alphabet[group >> 12 & 63];
  if (left == 2) text[at++] = alphabet[group >> 6 & 63];
  return text;
}

std::string from_base64(std::string_view text) {
  if (text.size() % 4 != 0) reject(text, text.size());
  if (text.empty()) return {};
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes(text.size() / 4 * 3 - padding, '\0');
  const std::size_t whole_groups = text.size() / 4 - (padding != 0);
  std::size_t at = 0;
  for (std::size_t from = 0; from < whole_groups * 4; from += 4) {
    const std::uint32_t a = digit_at(text, from);
    const std::uint32_t b = digit_at(text, from + 1);
    const std::uint32_t c = digit_at(text, from + 2);
    const std::uint32_t d = digit_at(text, from + 3);
    if (((a | b | c | d) & 0x80) != 0) reject(text, from);
    bytes[at++] = static_cast<char>(a << 2 | b >> 4);
    bytes[at++] = static_cast<char>(b << 4 | c >> 2);
    bytes[at++] = static_cast<char>(c << 6 | d);
  }
  if (padding == 0) return bytes;
  const std::size_t from = text.size() - 4;
  const std::uint32_t a = digit_at(text, from);
  const std::uint32_t b = digit_at(text, from + 1);
  const std::uint32_t c = padding == 1 ? digit_at(text, from + 2) : 0;
  const std::uint32_t beyond = padding == 1 ? c & 3 : b & 15;
  if (((a | b | c) & 0x80) != 0 || beyond != 0) reject(text, from);
  bytes[at++] = static_cast<char>(a << 2 | b >> 4);
  if (padding == 1) bytes[at] = static_cast<char>(b << 4 | c >> 2);
  return bytes;
}

}  // namespace tailgate
