#include <cpuid.h>

#include "harness/base/cpu_features.h"

namespace tailgate {

bool has_invariant_tsc() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & (1u << 8)) != 0;
}

}  // namespace tailgate
