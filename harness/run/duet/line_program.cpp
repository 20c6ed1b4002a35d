#include "harness/run/duet/line_program.h"

#include <algorithm>
#include <string>

#include "harness/os/process.h"

namespace tailgate {
namespace {

constexpr std::string_view kBlanks = " \t";

}  // namespace

std::optional<std::filesystem::path> program_of_line(std::string_view line,
                                                     const std::filesystem::path& directory) {
  // What joins commands, also within quotes, where it does not: rather no program than another one.
  if (line.find_first_of(";|&\n`()") != std::string_view::npos) return {};
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    const std::string word(line.substr(0, line.find_first_of(kBlanks)));
    // What the shell would change; the word may also be a redirection.
    if (word.empty() || word.find_first_of("'\"\\$*?[]~#{}<>!") != std::string::npos) return {};
    line.remove_prefix(word.size());
    if (word.find('=') != std::string::npos) continue;
    if (word.find('/') == std::string::npos) return find_program(word);
    const std::filesystem::path path = std::filesystem::absolute(directory / word);
    std::error_code absent;
    if (!std::filesystem::is_regular_file(path, absent)) return {};
    return path;
  }
}

}  // namespace tailgate
