// tailgate selftest gate --margins: the margins of a machine class, from its calibration.
#pragma once

#include <cstddef>
#include <filesystem>

#include "harness/gate/policy.h"
#include "harness/result/calibration.h"

namespace tailgate {

// Writes the margins of one machine class into the file, and prints what they find as a table. The
// class is this machine's, or the only one of the record. relabel: half as many gates try a margin,
// a tenth as many a change. Throws UsageError when the record is of several other classes.
void write_margins(const Calibration& calibration, const Policy& policy, std::size_t relabel,
                   const std::filesystem::path& file);

}  // namespace tailgate
