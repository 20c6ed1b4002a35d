// Prints what results/ documents: `tailgate_schema schema` the JSON Schema (results/schema.json),
// `tailgate_schema tables` the field tables (the marked part of results/README.md).
#include <cstdio>
#include <string_view>

#include "harness/result/schema.h"

int main(int argc, char** argv) {
  const std::string_view what = argc == 2 ? argv[1] : "";
  if (what == "schema") {
    std::fputs(tailgate::result_schema_json().c_str(), stdout);
  } else if (what == "tables") {
    std::fputs(tailgate::result_field_tables().c_str(), stdout);
  } else {
    std::fputs("usage: tailgate_schema schema|tables\n", stderr);
    return 2;
  }
  return 0;
}
