#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "harness/base/error.h"
#include "harness/exec/find_processes.h"

namespace tailgate {
namespace {

// Returns 0 for what is no number.
int number_of(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

// Empty if there is no such process.
std::string name_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/comm", pid));
  std::string name;
  std::getline(file, name);
  return name;
}

}  // namespace

std::vector<FoundProcess> find_processes(const std::string& wanted) {
  std::vector<FoundProcess> found;
  if (const int pid = number_of(wanted); pid > 0) {
    const std::string name = name_of(pid);
    if (!name.empty()) found.push_back({name, pid});
  } else {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
      const int process = number_of(entry.path().filename().string());
      if (process > 0 && name_of(process) == wanted) found.push_back({wanted, process});
    }
  }
  if (found.empty()) {
    throw Error(fmt::format("no process '{}' runs", wanted),
                "start it first, or leave out --daemon");
  }
  std::sort(found.begin(), found.end(),
            [](const FoundProcess& a, const FoundProcess& b) { return a.pid < b.pid; });
  return found;
}

}  // namespace tailgate
