#include "harness/base/error.h"
#include "harness/profile/allocations.h"

namespace tailgate::profile {

std::unique_ptr<StackSampler> follow_allocations(const AllocationOptions&) {
  throw Error("this build cannot follow allocations", "use one for Linux, with libdw");
}

}  // namespace tailgate::profile
