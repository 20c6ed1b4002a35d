#include "harness/os/cpu_features.h"

namespace tailgate {

bool has_invariant_tsc() {
  return false;
}

std::string hypervisor_signature() {
  return "";
}

}  // namespace tailgate
