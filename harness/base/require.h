// Checks what a user gave.
#pragma once

#include <string>

#include "harness/base/error.h"

namespace tailgate {

// Throws that Error unless it holds.
inline void require(bool holds, const std::string& what_failed, const std::string& remedy) {
  if (!holds) throw Error(what_failed, remedy);
}

}  // namespace tailgate
