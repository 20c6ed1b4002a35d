#include "harness/overhead/taken_time_linux.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "harness/overhead/proc_file_linux.h"
#include "harness/overhead/taken_time.h"

namespace tailgate {
namespace {

constexpr std::size_t kStealColumn = 8;  // after the processor's name, column 0

}  // namespace

std::optional<std::uint64_t> stolen_ticks(std::string_view proc_stat, int cpu) {
  const std::string name = fmt::format("cpu{} ", cpu);
  for (std::size_t at = 0; at < proc_stat.size();) {
    const std::size_t end = proc_stat.find('\n', at);
    const std::string_view line = proc_stat.substr(at, end - at);
    if (line.starts_with(name)) return number_at(line, kStealColumn);
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
  return {};
}

std::optional<ThreadTimes> thread_times(int pid, std::uint32_t thread) {
  const ProcFile file(fmt::format("/proc/{}/task/{}/schedstat", pid, thread));
  const std::string_view text = file.read();
  const std::optional<std::uint64_t> ran_ns = number_at(text, 0);
  const std::optional<std::uint64_t> waited_ns = number_at(text, 1);
  if (!ran_ns || !waited_ns) return {};
  return ThreadTimes{*ran_ns, *waited_ns};
}

std::optional<std::uint64_t> stolen_ns(int cpu) {
  static const auto ticks_hz = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  const std::optional<std::uint64_t> ticks = stolen_ticks(ProcFile("/proc/stat").read(), cpu);
  if (!ticks) return {};
  return *ticks * (1'000'000'000 / ticks_hz);
}

}  // namespace tailgate
