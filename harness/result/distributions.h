// Whether the distributions that a result holds can be read.
#pragma once

#include "harness/result/result.h"

namespace tailgate {

// Decodes the distributions of all steps and trials. Throws Error for one that is damaged, and says
// whose it is.
void check_distributions(const Result& result);

}  // namespace tailgate
