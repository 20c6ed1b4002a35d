#include "harness/overhead/taken_time_linux.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "harness/overhead/proc_file_linux.h"
#include "harness/overhead/taken_time.h"

namespace tailgate {
namespace {

constexpr std::size_t kStealColumn = 8;  // after the processor's name, column 0

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// Whether the kernel counts interrupts apart from the threads that they interrupt.
std::optional<bool> counts_interrupts_apart(const std::filesystem::path& root) {
  const std::filesystem::path pressure = root / "proc/pressure";
  if (is_there(pressure / "irq")) return true;
  std::string release = content_of(root / "proc/sys/kernel/osrelease");
  release = release.substr(0, release.find('\n'));
  unsigned major = 0;
  unsigned minor = 0;
  const bool is_known = std::sscanf(release.c_str(), "%u.%u", &major, &minor) == 2;
  const bool would_have_file = is_known && (major > 6 || (major == 6 && minor >= 1));
  if (would_have_file && is_there(pressure / "cpu")) return false;
  const std::string config = content_of(root / "boot" / ("config-" + release));
  if (config.find("CONFIG_IRQ_TIME_ACCOUNTING=y\n") != std::string::npos) return true;
  if (config.find("# CONFIG_IRQ_TIME_ACCOUNTING is not set\n") != std::string::npos) return false;
  return {};
}

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

bool leaves_out_stolen_alone(const std::filesystem::path& root) {
  // The first line is of all processors.
  const bool is_told = number_at(content_of(root / "proc/stat"), kStealColumn).value_or(0) > 0;
  return is_told && counts_interrupts_apart(root) == std::optional(false);
}

bool thread_time_leaves_out_stolen_alone() {
  return leaves_out_stolen_alone("/");
}

}  // namespace tailgate
