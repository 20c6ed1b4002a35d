#include "harness/os/child_environment_linux.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace tailgate {

std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(added.begin(), added.end(),
                                      [name](const auto& one) { return one.first == name; });
    if (!replaced) merged.emplace_back(text);
  }
  for (const auto& [name, value] : added) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace tailgate
