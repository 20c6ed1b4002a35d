// Reads machine facts from the kernel's files below a given root, so that tests can provide files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/os/machine.h"

namespace tailgate {

// root: the folder that contains proc/, sys/ and etc/ ("/" for this machine). signature: the
// hypervisor's CPUID signature, or empty. cpus: the processors that the process may use, ascending.
// A field whose file is missing or invalid is omitted (cpu_model: "unknown").
MachineInfo read_machine_info(const std::filesystem::path& root, std::string_view signature,
                              const std::vector<int>& cpus);

}  // namespace tailgate
