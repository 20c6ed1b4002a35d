// Detects Wine; figures measured under Wine are not Windows figures.
#pragma once

#include <string>

namespace tailgate {

// Wine's version ("8.0"), or "" on Windows. Only Wine's ntdll.dll exports wine_get_version.
std::string wine_version();

}  // namespace tailgate
