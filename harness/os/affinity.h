// Reads and sets the processors on which a thread may run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

// The processors that this thread may use at this moment, ascending.
std::vector<int> allowed_cpus();

// The processors that this process was allowed to use when it started, before it bound any thread.
const std::vector<int>& initial_cpus();

// Binds the calling thread to these processors. An empty list changes nothing. Throws Error that
// names the processors if this process may not use them.
void bind_this_thread(const std::vector<int>& cpus);

// The processor on which the caller runs now, or -1 if unknown.
int current_cpu();

// Restores the calling thread's affinity at the end of the scope.
class ScopedAffinity {
 public:
  ScopedAffinity() : cpus_(allowed_cpus()) {}
  ~ScopedAffinity();
  ScopedAffinity(const ScopedAffinity&) = delete;
  ScopedAffinity& operator=(const ScopedAffinity&) = delete;

 private:
  std::vector<int> cpus_;
};

// Parses "0,2-3" to {0,2,3}, and "" or "any" to {}. Throws Error for any other text.
std::vector<int> parse_cpu_list(std::string_view text);

// Formats {0,1,2,5} as "0-2,5".
std::string format_cpu_list(const std::vector<int>& cpus);

}  // namespace tailgate
