// What a program's file says about how its calls into shared libraries can be timed (ELF, 64 bits,
// little-endian; elf(5)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace tailgate {

struct ElfFacts {
  std::uint16_t machine = 0;                    // elf(5): e_machine
  bool dynamic = false;                         // the dynamic linker starts it
  std::string interpreter;                      // that dynamic linker's path
  bool bind_now = false;                        // it binds all functions at its start
  std::set<std::string, std::less<>> by_table;  // functions that it calls through a linkage table
  std::set<std::string, std::less<>> directly;  // symbols whose addresses it takes: -fno-plt, too
};

// Returns nothing for what is no such file. Accepts any bytes; what a damaged file says is taken as
// far as it can be read.
std::optional<ElfFacts> read_elf_facts(std::span<const std::byte> file);

}  // namespace tailgate
