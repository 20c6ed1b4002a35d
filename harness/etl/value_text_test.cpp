#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "harness/etl/value_text.h"

using namespace tailgate::etl;

TEST_CASE("characters to be escaped, and no others, are found at any position") {
  for (std::size_t length = 1; length <= 20; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (int code = 0; code < 256; ++code) {
        std::string text(length, 'x');
        text[at] = static_cast<char>(code);
        std::string expected = text;
        if (code == '\t') expected.replace(at, 1, "\\t");
        if (code == '\n') expected.replace(at, 1, "\\n");
        if (code == '\r') expected.replace(at, 1, "\\r");
        if (code == '\\') expected.replace(at, 1, "\\\\");
        // Other control characters, and a byte that is not UTF-8 by itself.
        if (expected == text && (code < 0x20 || code >= 0x7F)) {
          expected.replace(at, 1, fmt::format("\\x{:02x}", code));
        }
        std::string escaped;
        append_escaped(text, escaped);
        if (escaped != expected) FAIL("character " << code << " at " << at << " of " << length);
      }
    }
  }
  std::string empty;
  append_escaped("", empty);
  CHECK(empty.empty());
}

TEST_CASE("text that would control a terminal is escaped in TSV and in JSON") {
  std::string tsv;
  append_escaped("\x1b[2J \u202E \u009B µ", tsv);
  CHECK(tsv == "\\x1b[2J \\u202e \\u009b µ");
  std::string json = ",";
  append_json_string("\x1b\\\x7f\u202E\u009Bµ", json);
  CHECK(json == ",\"\\u001b\\\\\\u007f\\u202e\\u009bµ\"");
}

TEST_CASE("integers that are shown as text are escaped in TSV") {
  const std::uint8_t tab[] = {'\t', 0};
  Field character;
  character.type = ValueType::u16;
  character.format = ValueFormat::string;
  character.data = tab;
  const ValueMap names = {"Names", false, {{'\t', SharedText("a\\b")}}};
  Field mapped = character;
  mapped.format = ValueFormat::standard;
  mapped.map = &names;
  std::string tsv;
  append_fields_tsv({character, mapped}, tsv);
  CHECK(tsv == "\t\\t\ta\\\\b");
}

// RFC 5952, section 4 and the examples of RFC 4291.
TEST_CASE("IPv6 addresses are shown as RFC 5952 requires") {
  auto shown = [](std::vector<unsigned> groups) {
    std::vector<std::uint8_t> bytes;
    for (unsigned group : groups) {
      bytes.push_back(static_cast<std::uint8_t>(group >> 8));
      bytes.push_back(static_cast<std::uint8_t>(group));
    }
    Field field;
    field.type = ValueType::ipv6;
    field.data = bytes;
    std::string text;
    append_value(field, text);
    return text;
  };
  CHECK(shown({0, 0, 0, 0, 0, 0, 0, 0}) == "::");
  CHECK(shown({0, 0, 0, 0, 0, 0, 0, 1}) == "::1");
  CHECK(shown({0xFF01, 0, 0, 0, 0, 0, 0, 0x101}) == "ff01::101");
  CHECK(shown({0x2001, 0xDB8, 0, 0, 1, 0, 0, 1}) == "2001:db8::1:0:0:1");
  CHECK(shown({0x2001, 0xDB8, 0, 1, 1, 1, 1, 1}) == "2001:db8:0:1:1:1:1:1");
  CHECK(shown({1, 2, 3, 4, 5, 6, 0, 0}) == "1:2:3:4:5:6::");
}
