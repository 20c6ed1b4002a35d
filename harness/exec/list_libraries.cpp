#include "harness/exec/list_libraries.h"

#include <algorithm>

namespace tailgate {

// A line is "NAME => PATH (ADDRESS)", "PATH (ADDRESS)", "NAME => not found", or something else.
std::vector<std::filesystem::path> parse_library_list(std::string_view text) {
  constexpr std::string_view kArrow = " => ";
  std::vector<std::filesystem::path> paths;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (const std::size_t arrow = line.find(kArrow); arrow != std::string_view::npos) {
      line.remove_prefix(arrow + kArrow.size());
    }
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const std::size_t address = line.rfind(" (0x");
    if (!line.starts_with('/') || address == std::string_view::npos) continue;
    paths.emplace_back(line.substr(0, address));
  }
  return paths;
}

}  // namespace tailgate
