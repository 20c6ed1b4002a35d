// Windows numbers processors within groups of up to 64. tailgate's number of a processor is the
// group's number times 64 plus the number within the group. A thread runs in one group, so it can
// be bound to processors of one group only.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/os/affinity.h"
#include "harness/os/api_windows.h"

namespace tailgate {
namespace {

constexpr int kGroupSize = 64;

Error not_allowed(const std::vector<int>& cpus, DWORD code) {
  return windows_error("SetThreadGroupAffinity", fmt::format("processors {}", fmt::join(cpus, ",")),
                       code,
                       fmt::format("choose from the processors this process may use: {}",
                                   fmt::join(initial_cpus(), ",")));
}

}  // namespace

std::vector<int> allowed_cpus() {
  GROUP_AFFINITY affinity = {};
  std::vector<int> cpus;
  if (GetThreadGroupAffinity(GetCurrentThread(), &affinity) == 0) return cpus;
  for (int number = 0; number < kGroupSize; ++number) {
    if ((affinity.Mask >> number & 1) != 0) cpus.push_back(affinity.Group * kGroupSize + number);
  }
  return cpus;
}

void bind_this_thread(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  GROUP_AFFINITY affinity = {};
  affinity.Group = static_cast<WORD>(cpus.front() / kGroupSize);
  for (const int cpu : cpus) {
    if (cpu / kGroupSize != affinity.Group) throw not_allowed(cpus, ERROR_INVALID_PARAMETER);
    affinity.Mask |= KAFFINITY{1} << (cpu % kGroupSize);
  }
  if (SetThreadGroupAffinity(GetCurrentThread(), &affinity, nullptr) == 0) {
    throw not_allowed(cpus, GetLastError());
  }
}

int current_cpu() {
  PROCESSOR_NUMBER processor = {};
  GetCurrentProcessorNumberEx(&processor);
  return processor.Group * kGroupSize + processor.Number;
}

}  // namespace tailgate
