// What scenarios answered, as text.
#pragma once

#include <string>

#include "harness/report/document.h"

namespace tailgate {

// A paragraph for each result whose scenario asked something, and what its sink cannot do. Empty if
// none did.
std::string answers_text(const Results& results);

}  // namespace tailgate
