// Writes decoded values as text for TSV and as typed values for JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/etl/payload.h"

namespace tailgate::etl {

// The most text that the fields of one event may become.
inline constexpr std::size_t kMaxFieldsTextBytes = 16u << 20;

// Appends the value of a Field::Kind::value. Integers are decimal, pointers and hex types 0x...,
// FILETIME and SYSTEMTIME ISO 8601, SIDs S-1-..., addresses in their usual notation (IPv6 by RFC
// 5952), binary hex digits, mapped values names. Text is UTF-8 and not escaped. Bits whose names
// would come after 1 MB of names are hex.
void append_value(const Field& field, std::string& out);

// Appends `fields` as name=value pairs, each after a tab. Arrays are [a,b], structures {x=1,y=2}.
// Tabs, line ends and backslashes in text are escaped with a backslash. An array may repeat a long
// name 65,536 times: returns false when it left out fields after 16 MB of text.
bool append_fields_tsv(const std::vector<Field>& fields, std::string& out);

// Appends `fields` as a JSON object. Numbers and booleans are written as such, everything else as a
// string. Several fields of one name become name, name#2, name#3. Returns false as above.
bool append_fields_json(const std::vector<Field>& fields, std::string& out);

// Appends the array or structure that begins at that index, as JSON, without its name.
void append_bracket_json(const std::vector<Field>& fields, std::size_t at, std::string& out);

// The index behind a field: behind its end for an array or a structure.
std::size_t end_of_field(const std::vector<Field>& fields, std::size_t at);

// Whether a value is written to JSON as a number or boolean, and whether its text is that of bytes.
bool is_json_literal(const Field& field);
bool is_shown_as_hex(const Field& field);

// Appends text as a quoted JSON string. As in append_utf8(), a byte that is not valid UTF-8 becomes
// the Latin-1 character of its value.
void append_json_string(std::string_view text, std::string& out);

// Appends text with tabs, line ends and backslashes escaped.
void append_escaped(std::string_view text, std::string& out);

// Appends bytes as hex digits.
void append_hex(Bytes bytes, std::string& out);

// Appends ns as milliseconds with six decimals.
void append_ms(std::int64_t ns, std::string& out);

// Appends an integer in decimal.
void append_number(std::int64_t value, std::string& out);
void append_number(std::uint64_t value, std::string& out);

}  // namespace tailgate::etl
