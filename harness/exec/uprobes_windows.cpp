#include "harness/base/error.h"
#include "harness/exec/uprobes.h"

namespace tailgate {
namespace {

constexpr const char* kReason = "functions can be timed by probes of the kernel's on Linux only";
constexpr const char* kRemedy = "make the logger a plugin ('tailgate check --help')";

}  // namespace

class Uprobes::Recording {};

Uprobes::Uprobes(const std::vector<ProbePlace>&, CallMemory&, const ClockParameters&,
                 const std::filesystem::path&) {
  throw Error(kReason, kRemedy);
}

Uprobes::~Uprobes() = default;

void Uprobes::watch(int) {
  throw Error(kReason, kRemedy);
}

void Uprobes::stop() {}

Probe probe_uprobes() {
  return {false, kReason, kRemedy};
}

void sweep_uprobes() {}

}  // namespace tailgate
