// Converts UTF-16 and untrusted 8-bit text to valid UTF-8, and back.
#pragma once

#include <string>
#include <string_view>

#include "harness/etl/bytes.h"

namespace tailgate::etl {

// Appends UTF-16LE as UTF-8. Unpaired surrogates become U+FFFD; a trailing odd byte is dropped.
void append_utf16(Bytes utf16, std::string& out);
std::string utf8_of_utf16(Bytes utf16);

// Appends text that should be UTF-8. A byte that is not valid UTF-8 becomes the Latin-1 character
// of its value, as in the ANSI strings of western systems.
void append_utf8(Bytes text, std::string& out);
std::string utf8_of(Bytes text);

// Of ASCII letters; the names of providers, events and fields hardly have others.
bool equal_but_for_case(std::string_view a, std::string_view b);
std::string lower_case(std::string_view text);

// Appends one code point as UTF-8; U+FFFD for an invalid value.
void append_code_point(std::uint32_t code_point, std::string& out);

}  // namespace tailgate::etl
