#include "harness/base/quoting.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace tailgate {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD in UTF-8

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;  // else it is one byte that is not part of valid UTF-8
};

// The first character of a text that is not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {first, 1, false};
  std::uint32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {first, 1, false};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return {first, 1, false};
  return {code, bytes, true};
}

bool is_unsafe(const Character& character) {
  const std::uint32_t code = character.code;
  return !character.valid || code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C ||
         code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

// Whether all bytes are printable ASCII, as those of nearly every text are.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

// Appends each character that is safe, and what `replace` appends for the others.
template <class Replace>
std::string replaced(std::string_view text, Replace replace) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    if (is_unsafe(character)) {
      replace(character, result);
    } else {
      result += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return result;
}

bool is_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!character.valid) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

std::string printable(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  return replaced(text, [](const Character&, std::string& into) { into += '?'; });
}

std::string printable_lines(std::string_view text) {
  return replaced(text, [](const Character& character, std::string& into) {
    into += character.valid && character.code == '\n' ? '\n' : '?';
  });
}

void make_printable(std::string& text) {
  if (!is_plain(text)) text = printable(text);
}

std::string csv_cell(std::string_view text) {
  std::string cell = printable_lines(text);
  const bool formula = !cell.empty() && std::string_view("=+-@").find(cell[0]) != std::string::npos;
  if (formula && !is_number(cell)) cell.insert(0, 1, '\'');
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string tsv_cell(std::string_view text) {
  std::string backslashes;
  for (const char c : text) {
    if (c == '\\') backslashes += '\\';
    backslashes += c;
  }
  return replaced(backslashes, [](const Character& character, std::string& into) {
    const std::uint32_t code = character.code;
    if (code == '\t' || code == '\n' || code == '\r') {
      into += code == '\t' ? "\\t" : code == '\n' ? "\\n" : "\\r";
    } else if (character.valid && code >= 0x80) {
      into += fmt::format("\\u{:04x}", code);
    } else {
      into += fmt::format("\\x{:02x}", code);
    }
  });
}

std::string markdown_text(std::string_view text) {
  const std::string plain = printable(text);
  const auto is_word = [&](std::size_t i) {
    const char c = i < plain.size() ? plain[i] : ' ';
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::string result;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    // Between letters and digits a '_' is literal.
    const bool within_word = plain[i] == '_' && i > 0 && is_word(i - 1) && is_word(i + 1);
    const bool begins_list = i == 0 && (plain.starts_with("- ") || plain.starts_with("+ "));
    if (begins_list || (std::string_view("\\`*_{}[]<>#|&!~$").find(plain[i]) != std::string::npos &&
                        !within_word)) {
      result += '\\';
    }
    result += plain[i];
  }
  return result;
}

std::string json_text(std::string json) {
  // Below U+0020 there is only white space between the strings.
  const auto is_ascii = [](char c) { return c < 0x7F && c >= 0; };
  if (std::all_of(json.begin(), json.end(), is_ascii)) return json;
  return replaced(json, [](const Character& character, std::string& into) {
    if (character.code < 0x20) {
      into += static_cast<char>(character.code);
    } else {
      into += fmt::format("\\u{:04x}", character.valid ? character.code : 0xFFFD);
    }
  });
}

std::string xml_attribute(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::uint32_t code = character.code;
    if (character.valid && code < 0x80 &&
        std::string_view("&<>\"'\t\n\r").find(text[0]) != std::string_view::npos) {
      result += fmt::format("&#{};", code);
    } else if (is_unsafe(character) || code == 0xFFFE || code == 0xFFFF) {
      result += kReplacement;
    } else {
      result += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return result;
}

std::string xml_text(std::string_view text, std::uint64_t& replaced) {
  constexpr std::string_view kMarkup = "&<>\"'";
  if (is_plain(text) && text.find_first_of(kMarkup) == std::string_view::npos) {
    return std::string(text);
  }
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::uint32_t code = character.code;
    const bool is_space = code == '\t' || code == '\n' || code == '\r';
    if ((code < 0x20 && !is_space) || code == 0xFFFE || code == 0xFFFF) {
      result += kReplacement;
      ++replaced;
    } else if (is_unsafe(character) ||
               (code < 0x80 && kMarkup.find(text[0]) != std::string_view::npos)) {
      result += fmt::format("&#{};", code);
    } else {
      result += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return result;
}

}  // namespace tailgate
