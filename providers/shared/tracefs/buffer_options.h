#pragma once

#include "harness/base/options.h"

namespace tailgate::tracefs {

// The two options of every sink that writes to the kernel's trace buffer; append them to its table.
OptionTable buffer_options();

}  // namespace tailgate::tracefs
