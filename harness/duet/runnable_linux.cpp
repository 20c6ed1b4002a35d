#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "harness/duet/runnable.h"

namespace tailgate {
namespace {

// proc(5): the state follows the name, which stands in parentheses and may hold any character.
bool has_runnable_state(const std::filesystem::path& stat_file) {
  std::ifstream file(stat_file);
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(") ");
  return name_end != std::string::npos && line.substr(name_end + 2, 1) == "R";
}

}  // namespace

bool is_runnable(int pid) {
  std::error_code gone;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", pid), gone);
  for (; !gone && thread != std::filesystem::directory_iterator(); thread.increment(gone)) {
    if (has_runnable_state(thread->path() / "stat")) return true;
  }
  return false;
}

}  // namespace tailgate
