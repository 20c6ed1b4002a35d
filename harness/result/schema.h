// What a result, a duet and a verdict contain, as documents: they follow from the `describe`
// functions of result.h, duet.h and verdict.h. The program tailgate_schema writes them to results/,
// and a test compares.
#pragma once

#include <string>

namespace tailgate {

// JSON Schema, draft 2020-12, of the current version; ends with a line feed. Older versions
// validate too: fields that came later are not required.
std::string result_schema_json();
std::string duet_schema_json();
std::string verdict_schema_json();

// The line of results/README.md, DUET.md and VERDICT.md below which the field tables stand.
inline constexpr const char* kFieldTablesMark = "<!-- below: written by tailgate_schema -->";

// The fields of each struct as Markdown tables, the outermost first; ends with a line feed. For a
// duet or a verdict those that a result has not: links lead to README.md for the others.
std::string result_field_tables();
std::string duet_field_tables();
std::string verdict_field_tables();

}  // namespace tailgate
