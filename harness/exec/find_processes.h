// Finds processes that run already.
#pragma once

#include <string>
#include <vector>

namespace tailgate {

struct FoundProcess {
  std::string name;
  int pid = 0;
};

// Returns the process of that number, or all of that name, as `ps -o comm` shows it (15 bytes at
// most). Throws Error if there is none. (find_processes_linux.cpp, find_processes_windows.cpp)
std::vector<FoundProcess> find_processes(const std::string& wanted);

}  // namespace tailgate
