// Which processors a thread may run on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

// The processors that this thread may use at this moment, ascending.
std::vector<int> allowed_cpus();

// The processors that this process was given when it started, before any binding of ours.
const std::vector<int>& initial_cpus();

// Binds the calling thread. An empty list changes nothing. Throws Error naming the processor that
// this process may not use.
void bind_this_thread(const std::vector<int>& cpus);

// The processor that the caller runs on now, or -1 where that cannot be told.
int current_cpu();

// Puts the calling thread's affinity back at the end of the scope.
class ScopedAffinity {
 public:
  ScopedAffinity() : cpus_(allowed_cpus()) {}
  ~ScopedAffinity();
  ScopedAffinity(const ScopedAffinity&) = delete;
  ScopedAffinity& operator=(const ScopedAffinity&) = delete;

 private:
  std::vector<int> cpus_;
};

// "0,2-3" -> {0,2,3}; "" or "any" -> {}. Throws Error on anything else.
std::vector<int> parse_cpu_list(std::string_view text);

// {0,1,2,5} -> "0-2,5".
std::string format_cpu_list(const std::vector<int>& cpus);

}  // namespace tailgate
