#include "harness/tracefs/instance.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <random>
#include <thread>

#include "harness/base/error.h"

namespace tailgate::tracefs {
namespace {

constexpr std::uint64_t kKibibyte = 1024;

std::filesystem::path name_file(const std::filesystem::path& directory) {
  return directory / "tracefs.instance";
}

// Creates the instance and returns its name. The name is recorded first, so that a trial whose
// directory is not writable creates no instance.
std::string make_folder(const TraceFolder& root, const std::filesystem::path& directory) {
  const std::string name = instance_name();
  std::ofstream record(name_file(directory), std::ios::trunc);
  if (!(record << name << "\n").flush()) {
    throw system_error("open", name_file(directory).string(), errno,
                       "choose a trial directory that can be written to");
  }
  if (::mkdirat(root.native(), ("instances/" + name).c_str(), 0700) != 0) {
    throw system_error("mkdir", "tracefs/instances/" + name, errno, "run as root (sudo)");
  }
  return name;
}

// Returns the word in brackets, as in "[local] global x86-tsc".
std::string bracketed(const std::string& text) {
  const std::size_t begin = text.find('[');
  const std::size_t end = text.find(']');
  if (begin == std::string::npos || end == std::string::npos) return text;
  return text.substr(begin + 1, end - begin - 1);
}

std::uint64_t number_at(const std::string& text, std::size_t at) {
  std::uint64_t value = 0;
  at = std::min(text.find_first_not_of(" \t", at), text.size());
  std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

std::uint64_t stats_count(const std::string& stats, std::string_view label) {
  // The label must start a line, since "overrun:" also ends "commit overrun:".
  const std::size_t at = ("\n" + stats).find(fmt::format("\n{}:", label));
  if (at == std::string::npos) {
    throw Error(fmt::format("the trace buffer's stats have no '{}'", label),
                "report the text of per_cpu/cpu0/stats");
  }
  return number_at(stats, at + label.size() + 1);
}

}  // namespace

std::string instance_name() {
  return fmt::format("tailgate-{}-{:08x}", ::getpid(), std::random_device()());
}

int owner_pid(const std::string& name, char separator) {
  const std::string prefix = std::string("tailgate") + separator;
  const std::size_t end = name.rfind(separator);
  if (!name.starts_with(prefix) || end <= prefix.size() || name.size() != end + 9) return 0;
  if (name.find_first_not_of("0123456789abcdef", end + 1) != std::string::npos) return 0;
  int pid = 0;
  const char* const stop = name.data() + end;
  const auto parsed = std::from_chars(name.data() + prefix.size(), stop, pid);
  return parsed.ec == std::errc() && parsed.ptr == stop && pid > 0 ? pid : 0;
}

bool process_is_gone(int pid) {
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

// The owner may live in another PID namespace, where this process cannot see it. But it keeps a
// file of its instance open, so the kernel refuses to remove the instance.
void sweep_instances(const TraceFolder& root) {
  for (const std::string& name : root.folders_in("instances")) {
    const int pid = owner_pid(name, '-');
    if (pid == 0 || !process_is_gone(pid)) continue;
    ::unlinkat(root.native(), ("instances/" + name).c_str(), AT_REMOVEDIR);
  }
}

std::uint64_t buffer_bytes_to_poll() {
  constexpr std::uint64_t kAllBytes = 256 << 20;
  constexpr std::uint64_t kMaxBytes = 16 << 20;
  constexpr std::uint64_t kMinBytes = 1 << 20;
  const std::uint64_t processors = std::max(std::thread::hardware_concurrency(), 1u);
  return std::clamp(kAllBytes / processors, kMinBytes, kMaxBytes);
}

Instance::Instance(const std::filesystem::path& directory, const InstanceOptions& options)
    : root_(TraceFolder::root()),
      name_(make_folder(root_, directory)),
      folder_(root_.folder("instances/" + name_)),
      held_(folder_.open("tracing_on", O_RDONLY)) {
  try {
    set_up(options);
  } catch (const Error&) {
    held_.close();
    ::unlinkat(root_.native(), ("instances/" + name_).c_str(), AT_REMOVEDIR);
    throw;
  }
}

Instance::~Instance() {
  held_.close();
  ::unlinkat(root_.native(), ("instances/" + name_).c_str(), AT_REMOVEDIR);
}

void Instance::set_up(const InstanceOptions& options) const {
  const std::string clock = options.clock == ClockKind::tsc         ? "x86-tsc"
                            : options.clock == ClockKind::monotonic ? "mono"
                                                                    : "mono_raw";
  folder_.write("trace_clock", clock, "use a kernel that has this trace clock");
  folder_.write("options/overwrite", options.overwrite ? "1" : "0", "see the kernel's log");
  const std::uint64_t kibibytes = (options.buffer_bytes + kKibibyte - 1) / kKibibyte;
  folder_.write("buffer_size_kb", std::to_string(kibibytes), "give a smaller buffer_bytes");
}

std::vector<std::pair<std::string, std::string>> Instance::granted() const {
  const std::uint64_t kibibytes = number_at(folder_.read("buffer_size_kb"), 0);
  const bool overwrite = number_at(folder_.read("options/overwrite"), 0) != 0;
  return {{"instance", name_},
          {"trace_clock", bracketed(folder_.read("trace_clock"))},
          {"buffer_bytes", std::to_string(kibibytes * kKibibyte)},
          {"overwrite", overwrite ? "true" : "false"}};
}

void Instance::record(bool on) const {
  folder_.write("tracing_on", on ? "1" : "0", "see the kernel's log");
}

BufferCounts buffer_counts(const TraceFolder& instance) {
  BufferCounts counts;
  for (const std::string& cpu : instance.folders_in("per_cpu")) {
    const std::string stats = instance.read("per_cpu/" + cpu + "/stats");
    counts.overrun_events += stats_count(stats, "overrun");
    counts.dropped_events += stats_count(stats, "dropped events");
    counts.kept_events += stats_count(stats, "entries");
    counts.kept_bytes += stats_count(stats, "bytes");
  }
  return counts;
}

std::string trial_instance(const std::filesystem::path& directory) {
  const std::filesystem::path file = name_file(directory);
  std::string name;
  if (!(std::ifstream(file) >> name) || owner_pid(name, '-') == 0) {
    throw Error(fmt::format("'{}' names no trace instance", file.string()),
                "start the session before its provider and consumer");
  }
  return name;
}

TraceFolder open_instance(const std::filesystem::path& directory) {
  return TraceFolder::root().folder("instances/" + trial_instance(directory));
}

}  // namespace tailgate::tracefs
