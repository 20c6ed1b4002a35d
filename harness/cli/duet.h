// `tailgate duet`: measures two sides against each other, and writes one file.
#pragma once

#include "harness/cli/duet_arguments.h"
#include "harness/run/catalog.h"

namespace tailgate {

// Runs the duet of two sinks or of two commands, writes its file anew after each round, shows its
// figures, or with `gate` its verdict, and returns the exit code. Throws UsageError for arguments
// that do not fit.
int duet(const Catalog& catalog, const DuetArguments& arguments);

}  // namespace tailgate
