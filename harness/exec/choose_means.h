// Chooses by what means the calls of programs are timed, and says before they run where there is
// none.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "harness/calls/call_list.h"
#include "harness/exec/uprobes.h"

namespace tailgate {

// Returns the list with the first means that can time all its functions in all the programs:
// preload, audit, or uprobe. A program that is not known, or whose file does not tell, may be timed
// by the means that the names allow. Follows the first line of a script to its interpreter. Throws
// Error that says why no means can do it, and what to do.
CallList choose_means(CallList calls,
                      const std::vector<std::optional<std::filesystem::path>>& programs);

// Where the functions are in that program's files. Throws Error that names one that is in none.
std::vector<ProbePlace> find_probe_places(const CallList& calls,
                                          const std::filesystem::path& program);

// Whether the function begins with an instruction that the kernel emulates for a probe (x86-64:
// push of a register), so that the probe costs little. Others may, too, by the kernel's version.
bool begins_with_push(const ProbePlace& place);

}  // namespace tailgate
