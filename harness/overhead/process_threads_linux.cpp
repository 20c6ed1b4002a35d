#include "harness/overhead/process_threads.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <string>
#include <string_view>

#include "harness/overhead/proc_file_linux.h"

namespace tailgate {
namespace {

std::vector<int> numbers_of(std::string_view list) {
  std::vector<int> numbers;
  for (const char *at = list.data(), *const end = at + list.size(); at < end; ++at) {
    int number = 0;
    at = std::from_chars(at, end, number).ptr;
    if (number > 0) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::vector<ProcessThread> threads_of(std::vector<int> pids) {
  std::vector<ProcessThread> threads;
  std::set<int> seen;
  while (!pids.empty()) {
    const int process = pids.back();
    pids.pop_back();
    const std::string tasks = fmt::format("/proc/{}/task", process);
    for (const int thread : numbers_in(tasks)) {
      if (!seen.insert(thread).second) continue;
      threads.push_back({process, thread});
      const ProcFile children(fmt::format("{}/{}/children", tasks, thread));
      const std::vector<int> started = numbers_of(children.read());
      pids.insert(pids.end(), started.begin(), started.end());
    }
  }
  return threads;
}

}  // namespace tailgate
