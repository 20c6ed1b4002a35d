// Texts of TOML files that may not be empty.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/toml_reader.h"

namespace tailgate {

// Throws Error that calls the text `name` if it is empty or of another type.
inline std::string nonempty_text(const TomlNode& node, std::string_view name) {
  std::string text = node.text(name);
  if (text.empty()) node.fail(std::string(name) + " is empty", "say what it is");
  return text;
}

// The same of a table's entry, which must be there. meaning: what it is, for the remedy.
inline std::string required_text(const TomlNode& in, std::string_view key,
                                 std::string_view meaning) {
  return nonempty_text(in.required(key, meaning), key);
}

}  // namespace tailgate
