// UTF-16 and foreign 8-bit text to valid UTF-8, and back.
#pragma once

#include <string>
#include <string_view>

#include "providers/etw/etl/bytes.h"

namespace tailgate::etl {

// Appends UTF-16LE as UTF-8. Unpaired surrogates become U+FFFD; a trailing odd byte is dropped.
void append_utf16(Bytes utf16, std::string& out);
std::string utf8_of_utf16(Bytes utf16);

// Appends text that ought to be UTF-8. Bytes that are not become the Latin-1 character of that
// value, which is what they are in ANSI strings of western systems.
void append_utf8(Bytes text, std::string& out);
std::string utf8_of(Bytes text);

// Appends one code point as UTF-8; U+FFFD for a value that is none.
void append_code_point(std::uint32_t code_point, std::string& out);

// Valid UTF-8 to UTF-16LE bytes, without NUL. Used by the writer of test traces and the TMF reader.
std::string utf16_of(std::string_view utf8);

}  // namespace tailgate::etl
