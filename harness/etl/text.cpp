#include "harness/etl/text.h"

#include <algorithm>
#include <cctype>

namespace tailgate::etl {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

// Length in bytes of the valid UTF-8 sequence at the front of `text`; 0 when there is none.
std::size_t sequence_bytes(Bytes text) {
  std::uint8_t lead = text[0];
  std::size_t bytes = lead < 0x80                   ? 1
                      : lead >= 0xC2 && lead < 0xE0 ? 2
                      : lead >= 0xE0 && lead < 0xF0 ? 3
                      : lead >= 0xF0 && lead < 0xF5 ? 4
                                                    : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((text[i] & 0xC0) != 0x80) return 0;
  }
  if (bytes == 3 && lead == 0xE0 && text[1] < 0xA0) return 0;
  if (bytes == 3 && lead == 0xED && text[1] >= 0xA0) return 0;
  if (bytes == 4 && lead == 0xF0 && text[1] < 0x90) return 0;
  if (bytes == 4 && lead == 0xF4 && text[1] >= 0x90) return 0;
  return bytes;
}

}  // namespace

void append_code_point(std::uint32_t code_point, std::string& out) {
  if (code_point > 0x10FFFF || is_high_surrogate(code_point) || is_low_surrogate(code_point)) {
    code_point = kReplacement;
  }
  auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

void append_utf16(Bytes utf16, std::string& out) {
  std::size_t units = utf16.size() / 2;
  for (std::size_t i = 0; i < units; ++i) {
    std::uint32_t unit = load<std::uint16_t>(utf16.data() + 2 * i);
    if (unit < 0x80) {
      out.push_back(static_cast<char>(unit));
      continue;
    }
    if (is_high_surrogate(unit) && i + 1 < units) {
      std::uint32_t low = load<std::uint16_t>(utf16.data() + 2 * i + 2);
      if (is_low_surrogate(low)) {
        unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        ++i;
      }
    }
    append_code_point(unit, out);
  }
}

std::string utf8_of_utf16(Bytes utf16) {
  std::string out;
  out.reserve(utf16.size() / 2);
  append_utf16(utf16, out);
  return out;
}

void append_utf8(Bytes text, std::string& out) {
  while (!text.empty()) {
    std::size_t bytes = sequence_bytes(text);
    if (bytes == 0) {
      append_code_point(text[0], out);
      bytes = 1;
    } else {
      out.append(reinterpret_cast<const char*>(text.data()), bytes);
    }
    text = text.subspan(bytes);
  }
}

std::string utf8_of(Bytes text) {
  std::string out;
  out.reserve(text.size());
  append_utf8(text, out);
  return out;
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return lower;
}

}  // namespace tailgate::etl
