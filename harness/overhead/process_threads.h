// Finds the threads of processes and of those that they started.
#pragma once

#include <vector>

namespace tailgate {

struct ProcessThread {
  int process = 0;
  int thread = 0;
};

// Each once. A process that has ended has none.
std::vector<ProcessThread> threads_of(std::vector<int> pids);

}  // namespace tailgate
