#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "harness/os/process_stat_linux.h"
#include "harness/run/duet/runnable.h"

namespace tailgate {

bool is_runnable(int pid) {
  std::error_code gone;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", pid), gone);
  for (; !gone && thread != std::filesystem::directory_iterator(); thread.increment(gone)) {
    const std::optional<ProcessStat> stat = read_process_stat(thread->path());
    if (stat && stat->runnable()) return true;
  }
  return false;
}

}  // namespace tailgate
