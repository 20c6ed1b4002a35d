// How text that somebody else wrote is put into each kind of output. Names, labels, remarks and
// errors may quote files of any origin; none of them may control where it is shown. There is one
// function for each kind of output, and whoever writes that kind uses it.
//
// Unsafe characters are those that control a terminal or reorder what it shows: U+0000 to U+001F,
// U+007F to U+009F, the separators U+2028 and U+2029, Unicode's marks, embeddings, overrides and
// isolates of bidirectional text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), and
// every byte that is not part of valid UTF-8. A text without any of them is shown as it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tailgate {

// For a terminal, within a line: each unsafe character is replaced by '?'.
std::string printable(std::string_view text);

// The same for several lines: line feeds stay.
std::string printable_lines(std::string_view text);

// Replaces as printable() does, in place; for texts that are large and rarely need it.
void make_printable(std::string& text);

// A cell of comma-separated values (RFC 4180), in quotes where it has to be. Unsafe characters but
// line feeds are replaced by '?'. A spreadsheet calculates cells that begin with '=', '+', '-' or
// '@'; such a cell gets an apostrophe in front, unless it is a number (OWASP, "CSV Injection").
std::string csv_cell(std::string_view text);

// A cell of tab-separated values: '\', tab, line feed and carriage return as \\, \t, \n and \r;
// other unsafe characters as \x1b or \u202e. The shell reads it back with printf %b.
std::string tsv_cell(std::string_view text);

// Markdown that shows the text as it is, within a line or a table's cell (CommonMark: a backslash
// makes ASCII punctuation literal). Unsafe characters are replaced as by printable().
std::string markdown_text(std::string_view text);

// JSON with the unsafe characters inside of its strings as \uXXXX: the same document. Libraries
// write those from U+007F up as they are. The JSON must be valid UTF-8.
std::string json_text(std::string json);

// The value of an XML attribute, without the quotes. Markup and white space that XML would change
// become references; unsafe characters, and those that XML 1.0 does not allow, become U+FFFD.
std::string xml_attribute(std::string_view text);

// The text of an XML element or attribute, as exactly as XML 1.0 has it. Markup, white space and
// unsafe characters become references; a byte that is not part of valid UTF-8 becomes the Latin-1
// character of its value. Control characters, U+FFFE and U+FFFF, which XML does not allow, become
// U+FFFD; `replaced` grows by their number.
std::string xml_text(std::string_view text, std::uint64_t& replaced);

// Whether all of a text is valid UTF-8.
bool is_utf8(std::string_view text);

}  // namespace tailgate
