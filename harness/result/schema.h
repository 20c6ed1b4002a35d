// Generates the schemas and field tables of a result, a duet and a verdict from the `describe`
// functions of result.h, duet.h and verdict.h. The program tailgate_schema writes them to results/,
// and a test compares them.
#pragma once

#include <string>

namespace tailgate {

// Returns the JSON Schema, draft 2020-12, of the current version; it ends with a line feed. Files
// of older versions are valid, too, since later fields are not required.
std::string result_schema_json();
std::string duet_schema_json();
std::string command_duet_schema_json();
std::string verdict_schema_json();

// The line in results/README.md, DUET.md, COMMAND_DUET.md and VERDICT.md after which the field
// tables follow.
inline constexpr const char* kFieldTablesMark = "<!-- below: written by tailgate_schema -->";

// Returns the fields of each struct as Markdown tables, the outermost struct first; ends with a
// line feed. The tables of a duet and of a verdict omit structs that a result has, too, and link to
// README.md instead.
std::string result_field_tables();
std::string duet_field_tables();
std::string command_duet_field_tables();
std::string verdict_field_tables();

}  // namespace tailgate
