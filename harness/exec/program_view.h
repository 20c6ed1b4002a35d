// What the files of a program say about functions: where they are, and how they are called.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/calls/call_list.h"
#include "harness/calls/elf_facts.h"
#include "harness/calls/elf_symbols.h"

namespace tailgate {

struct FunctionView {
  // The first file that has it: the program's own, unless a library was named, or a library's.
  std::filesystem::path file;  // empty: none
  FoundFunction found;         // in that file; what was seen of the name where no file has it
  bool is_program = false;     // that file is the program's own
  bool was_sought = false;     // in any file
  bool is_stripped = false;    // one of them names only the functions that it exports
  // Libraries call it through a linkage table that is bound lazily; otherwise one of them calls it
  // in another way.
  bool called_lazily = false;
  std::filesystem::path called_otherwise;
};

struct ProgramView {
  std::filesystem::path program;  // of a script: its interpreter
  std::optional<ElfFacts> facts;  // nothing: no file of that kind
  bool is_of_this_machine = false;
  std::string libraries_problem;  // why its libraries are not known; empty: they are
  std::vector<FunctionView> functions;
};

// Reads the program's file, and, if there are functions, those of the libraries that the dynamic
// linker loads for it. What cannot be read counts as a file that says nothing.
ProgramView view_program(const std::filesystem::path& program,
                         const std::vector<CalledFunction>& functions);

}  // namespace tailgate
