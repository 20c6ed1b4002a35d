// What the processor says about itself through CPUID.
#pragma once

namespace tailgate {

// True when the time-stamp counter runs at one rate in all power states (CPUID 80000007H, EDX bit
// 8: Intel SDM volume 2, AMD APM volume 3). False on processors without one.
bool has_invariant_tsc();

}  // namespace tailgate
