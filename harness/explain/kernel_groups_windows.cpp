#include "harness/explain/kernel_groups.h"

namespace tailgate::activity {

class KernelEvents::Buffer {};

KernelEvents::KernelEvents(const std::filesystem::path&, KernelGroup group) {
  use_.group = group;
  use_.refused = "groups of kernel events can be switched on on Linux only";
}

KernelEvents::~KernelEvents() = default;

KernelEventsUse KernelEvents::stop() {
  return use_;
}

}  // namespace tailgate::activity
