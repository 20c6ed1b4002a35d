// Reads a variable of the environment.
#pragma once

#include <cstdlib>
#include <string>

namespace tailgate {

// Its value; empty if there is none.
inline std::string environment_text(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace tailgate
