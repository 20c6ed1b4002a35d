#include "harness/base/error.h"
#include "harness/profile/sampler.h"

namespace tailgate::profile {
namespace {

constexpr const char* kWhyNot = "functions are not available: they are sampled on Linux only";
constexpr const char* kRemedy = "use Windows Performance Analyzer with a sampled profile";

}  // namespace

std::unique_ptr<StackSampler> start_sampler(const SamplerOptions&) {
  throw Error(kWhyNot, kRemedy);
}

Probe probe_sampler() {
  return {.available = false, .reason = kWhyNot, .remedy = kRemedy};
}

}  // namespace tailgate::profile
