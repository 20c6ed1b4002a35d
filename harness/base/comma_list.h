// Lists that a user writes with commas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

// Returns the items between the commas, without blanks: {"a", "b"} of "a, b". An empty text is one
// empty item.
inline std::vector<std::string> comma_list(std::string_view text) {
  std::vector<std::string> items(1);
  for (const char letter : text) {
    if (letter == ',') {
      items.emplace_back();
    } else if (letter != ' ') {
      items.back() += letter;
    }
  }
  return items;
}

}  // namespace tailgate
