// Which libraries the dynamic linker loads for a program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

struct LibraryList {
  std::vector<std::filesystem::path> paths;  // in the linker's order, in which symbols are found
  std::string problem;                       // why there are none
};

// Asks the program's dynamic linker, as ldd does: it maps the program and runs nothing of it.
// Does not ask for a program that runs with other rights than this user's (set-user-ID,
// set-group-ID, file capabilities). A program without such a linker has no libraries, which is no
// problem. (list_libraries_linux.cpp, list_libraries_windows.cpp)
LibraryList list_libraries(const std::filesystem::path& program, const std::string& interpreter);

// The paths in what a dynamic linker prints. Accepts any text.
std::vector<std::filesystem::path> parse_library_list(std::string_view text);

}  // namespace tailgate
