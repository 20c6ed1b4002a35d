// Where a process's own code has a function that a library exports.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tailgate::profile {

// The files whose code the process has mapped, in the order of their addresses.
std::vector<std::filesystem::path> code_files(int pid);

// Where in that file the code of a function begins that it exports to others (.dynsym). Nothing:
// the file is no ELF file, or exports no such function.
std::optional<std::uint64_t> exported_function(const std::filesystem::path& file,
                                               const std::string& name);

}  // namespace tailgate::profile
