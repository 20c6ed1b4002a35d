// Finds a function in the symbol tables of a program's or a library's file (ELF, 64 bits,
// little-endian; elf(5)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>

namespace tailgate {

struct FoundFunction {
  std::set<std::uint64_t> offsets;  // in the file, of the first instructions of all of that name
  bool has_all_names = false;       // not only those of functions that other files can call
  bool is_exported = false;         // one of them can be called from other files
  bool is_chosen_at_start = false;  // one of them only returns the function's address (IFUNC)
  bool is_no_function = false;      // the name is that of data
};

// Several functions of a file may have one name: static ones of several units, versions of an
// exported one. Copies that the compiler made of the whole function with other arguments
// (NAME.constprop.0, NAME.isra.0), or renamed (NAME.lto_priv.0, NAME.llvm.123), count as it.
// Accepts any bytes; what a damaged file says is taken as far as it can be read.
FoundFunction find_function(std::span<const std::byte> file, std::string_view name);

}  // namespace tailgate
