// Counts the system calls of processes.
//
// While a counter exists, the kernel takes its slow way into every system call of the machine,
// which costs each some 100 ns. So count while nothing is measured.
#pragma once

#include <cstdint>
#include <vector>

namespace tailgate {

class SystemCallCounter {
 public:
  // Counts from now on what all threads of these processes call, and of the processes that they
  // have started or start. A process that has ended counts nothing. Throws Error where the user may
  // not count, or the system cannot; the text says what would help.
  explicit SystemCallCounter(const std::vector<int>& pids);
  ~SystemCallCounter();
  SystemCallCounter(const SystemCallCounter&) = delete;
  SystemCallCounter& operator=(const SystemCallCounter&) = delete;

  // Calls that have begun so far. Throws Error.
  std::uint64_t count() const;

 private:
  std::vector<int> descriptors_;  // a counter for each thread that existed
};

}  // namespace tailgate
