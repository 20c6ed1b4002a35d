// Updates the folder results/ from the structs of result.h, duet.h and verdict.h:
//   tailgate_schema DIRECTORY   writes schema.json, duet-schema.json and verdict-schema.json there,
//                               and the field tables into README.md, DUET.md and VERDICT.md
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "harness/base/error.h"
#include "harness/base/file_text.h"
#include "harness/os/atomic_file.h"
#include "harness/result/schema.h"

namespace {

void update_tables(const std::filesystem::path& readme, const std::string& tables) {
  std::string text = tailgate::file_text(readme);
  const std::size_t at = text.find(tailgate::kFieldTablesMark);
  if (at == std::string::npos) {
    throw tailgate::Error(
        "'" + readme.string() + "' has no line '" + tailgate::kFieldTablesMark + "'",
        "name the folder results/");
  }
  text.resize(at);
  text += tailgate::kFieldTablesMark;
  tailgate::write_file_atomically(readme, text + "\n" + tables);
}

void update(const std::filesystem::path& directory) {
  update_tables(directory / "README.md", tailgate::result_field_tables());
  update_tables(directory / "DUET.md", tailgate::duet_field_tables());
  update_tables(directory / "COMMAND_DUET.md", tailgate::command_duet_field_tables());
  update_tables(directory / "VERDICT.md", tailgate::verdict_field_tables());
  tailgate::write_file_atomically(directory / "schema.json", tailgate::result_schema_json());
  tailgate::write_file_atomically(directory / "duet-schema.json", tailgate::duet_schema_json());
  tailgate::write_file_atomically(directory / "command-duet-schema.json",
                                  tailgate::command_duet_schema_json());
  tailgate::write_file_atomically(directory / "verdict-schema.json",
                                  tailgate::verdict_schema_json());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: tailgate_schema DIRECTORY (the folder results/)\n", stderr);
    return 2;
  }
  try {
    update(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tailgate_schema: %s\n", error.what());
    return 1;
  }
  return 0;
}
