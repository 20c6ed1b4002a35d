// Decoded values as text: one spelling for TSV, the same value typed for JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/etw/etl/payload.h"

namespace tailgate::etl {

// Appends the value of a Field::Kind::value. Integers in decimal or (pointers, hex types) as 0x...,
// FILETIME and SYSTEMTIME in ISO 8601, SIDs as S-1-..., addresses in their usual notation (IPv6 by
// RFC 5952), binary as hex digits, mapped values by name. Text is UTF-8 and not escaped.
void append_value(const Field& field, std::string& out);

// Appends `fields` as name=value pairs, each after a tab. Arrays are [a,b], structures {x=1,y=2}.
// Tabs, line ends and backslashes in text are escaped with a backslash.
void append_fields_tsv(const std::vector<Field>& fields, std::string& out);

// Appends `fields` as a JSON object. Numbers and booleans are JSON's; everything else is a string.
// Several fields of one name become name, name#2, name#3.
void append_fields_json(const std::vector<Field>& fields, std::string& out);

// Appends text as a quoted JSON string. Bytes that are not UTF-8 become the Latin-1 character of
// that value, as append_utf8() has it.
void append_json_string(std::string_view text, std::string& out);

// Appends text with tabs, line ends and backslashes escaped.
void append_escaped(std::string_view text, std::string& out);

// Appends bytes as hex digits.
void append_hex(Bytes bytes, std::string& out);

// Appends an integer in decimal.
void append_number(std::int64_t value, std::string& out);
void append_number(std::uint64_t value, std::string& out);

}  // namespace tailgate::etl
