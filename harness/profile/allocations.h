// Follows what some processes allocate.
#pragma once

#include <memory>
#include <vector>

#include "harness/os/clock.h"
#include "harness/profile/sampler.h"

namespace tailgate::profile {

struct AllocationOptions {
  Clock clock = {};                 // the run clock
  std::vector<int> processes = {};  // with the threads that they have when it starts
};

// Starts to follow each call of the C library's allocator. A sample is a block that was not freed
// until the sampler stopped, by the provider. A call costs its thread some 10 us meanwhile. Throws
// Error that says what to do if the system does not permit it, or has no such thing.
std::unique_ptr<StackSampler> follow_allocations(const AllocationOptions& options);

}  // namespace tailgate::profile
