// What the output goes to.
#pragma once

namespace tailgate {

// Whether standard output is a terminal that wants colours: not redirected, and NO_COLOR
// (https://no-color.org) is not set.
bool colour_wanted();

}  // namespace tailgate
