#include "harness/base/error.h"
#include "harness/profile/sampler.h"

namespace tailgate::profile {

std::unique_ptr<StackSampler> start_sampler(const SamplerOptions&) {
  throw Error("functions are not available: they are sampled on Linux only",
              "use Windows Performance Analyzer with a sampled profile");
}

}  // namespace tailgate::profile
