#include "harness/base/error.h"
#include "harness/profile/sampler.h"

namespace tailgate::profile {

std::unique_ptr<StackSampler> start_sampler(const SamplerOptions&) {
  throw Error("functions are not available: this build has no libdw, which names them",
              "install libdw (Debian: libdw-dev), and build again");
}

}  // namespace tailgate::profile
