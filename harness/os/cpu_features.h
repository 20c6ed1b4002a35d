// Processor features from CPUID.
#pragma once

#include <string>

namespace tailgate {

// Whether the time-stamp counter has a constant rate in all power states (CPUID 80000007H, EDX bit
// 8: Intel SDM volume 2, AMD APM volume 3). False on processors without a time-stamp counter.
bool has_invariant_tsc();

// Returns the hypervisor's signature of up to 12 characters ("KVMKVMKVM") from CPUID leaf
// 40000000H, or "" if leaf 1, ECX bit 31 says that there is no hypervisor.
std::string hypervisor_signature();

}  // namespace tailgate
