// Another layout of the same program in memory: which pieces the linker put together, read from its
// map, and a linker script that puts them in another order. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

// An input section: a function or variable by itself where the compiler was told so
// (-ffunction-sections, -fdata-sections), else those of an object file together.
struct LinkedSection {
  std::string output;  // .text, .rodata, .data or .bss
  std::string name;    // ".text.main"
  std::string file;    // an object file, or an archive, as the linker calls it
  std::string member;  // of the archive; empty: an object file

  bool operator==(const LinkedSection&) const = default;
};

// Reads the map that GNU ld writes (-Map), in English. Returns the sections that may be moved, in
// the order of the map: what the linker merges or keeps apart (strings, rarely run code, code of
// the start) is left out. Survives any text; what is no map has no sections.
std::vector<LinkedSection> read_link_map(std::string_view map);

// The linker script (-T) of layout `number`. Every section gets a place, an alignment and a padding
// that depend only on the number and the section's name and file, without the folder `root`: so two
// builds that differ in one function differ there, and in what follows it. Hot code stays together.
std::string layout_script(const std::vector<LinkedSection>& sections, unsigned number,
                          std::string_view root);

}  // namespace tailgate
