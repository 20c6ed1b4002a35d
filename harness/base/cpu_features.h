// What the processor says about itself through CPUID.
#pragma once

#include <string>

namespace tailgate {

// True when the time-stamp counter runs at one rate in all power states (CPUID 80000007H, EDX bit
// 8: Intel SDM volume 2, AMD APM volume 3). False on processors without one.
bool has_invariant_tsc();

// How the hypervisor that this runs under signs itself, up to 12 characters ("KVMKVMKVM"): CPUID
// leaf 40000000H, where leaf 1 ECX bit 31 says that there is one. Empty when there is none.
std::string hypervisor_signature();

}  // namespace tailgate
