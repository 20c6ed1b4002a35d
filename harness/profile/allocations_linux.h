// Follows the allocations of some processes by probes of the kernel (uprobes).
#pragma once

#include <memory>

#include "harness/profile/sampler.h"

namespace tailgate::profile {

// For Sampled::allocations. Each call of the allocator costs its thread some 10 us meanwhile, two
// traps into the kernel. Throws Error as start_sampler() does.
std::unique_ptr<StackSampler> start_allocation_sampler(const SamplerOptions& options);

}  // namespace tailgate::profile
