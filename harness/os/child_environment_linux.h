// What execve(2) takes for a child process.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tailgate {

// This process's environment, with these variables added or replaced.
std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& added);

// Pointers to the texts, which must outlive them, and a null at the end.
std::vector<char*> pointers(std::vector<std::string>& texts);

}  // namespace tailgate
