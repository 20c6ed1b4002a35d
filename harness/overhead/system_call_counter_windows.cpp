#include "harness/base/error.h"
#include "harness/overhead/system_call_counter.h"

namespace tailgate {

SystemCallCounter::SystemCallCounter(const std::vector<int>&) {
  throw Error("Windows does not count the system calls of a process", "count them on Linux");
}

SystemCallCounter::~SystemCallCounter() = default;

std::uint64_t SystemCallCounter::count() const {
  return 0;
}

}  // namespace tailgate
