#include <cpuid.h>

#include <cstring>

#include "harness/os/cpu_features.h"

namespace tailgate {

bool has_invariant_tsc() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & (1u << 8)) != 0;
}

std::string hypervisor_signature() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & (1u << 31)) == 0) return "";
  // __get_cpuid would refuse the hypervisor's leaf, since it is outside of the range that it
  // checks.
  __cpuid(0x40000000, eax, ebx, ecx, edx);
  const unsigned words[3] = {ebx, ecx, edx};
  char signature[sizeof words + 1] = {};
  std::memcpy(signature, words, sizeof words);
  return signature;
}

}  // namespace tailgate
