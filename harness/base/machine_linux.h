// Reading the machine from the kernel's files, under any root so that tests can bring their own.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/machine.h"

namespace tailgate {

// root: the folder that holds proc/, sys/ and etc/ ("/" for this machine). signature: what CPUID
// says of the hypervisor, or empty. cpus: the processors that the process was given, ascending.
// A file that is missing or makes no sense leaves its field out (cpu_model: "unknown").
MachineInfo read_machine_info(const std::filesystem::path& root, std::string_view signature,
                              const std::vector<int>& cpus);

}  // namespace tailgate
