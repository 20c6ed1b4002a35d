#pragma once

#include "harness/base/options.h"

namespace tailgate::tracefs {

// The two options that every sink in the kernel's trace buffer has, to be appended to its table.
OptionTable buffer_options();

}  // namespace tailgate::tracefs
