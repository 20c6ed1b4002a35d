// What is said, everywhere in the same words, of a sink's name that nothing has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"

namespace tailgate {

Error unknown_sink(std::string_view name, const std::vector<std::string>& known);

}  // namespace tailgate
