#include "harness/os/limits_linux.h"

#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace tailgate {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kKibibyte = 1024;

// The first whole number of a file.
std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return {};
}

// "MemAvailable:   123 kB" of /proc/meminfo, in bytes.
std::optional<std::uint64_t> meminfo_bytes(const fs::path& root, const std::string& key) {
  std::ifstream file(root / "proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key + ":")) continue;
    std::istringstream rest(line.substr(key.size() + 1));
    std::uint64_t kibibytes = 0;
    if (rest >> kibibytes) return kibibytes * kKibibyte;
  }
  return {};
}

// The group of this process in a hierarchy of /proc/self/cgroup (cgroups(7)): "4:cpu,cpuacct:/a/b";
// of version 2, which names no controller, "0::/a/b".
std::optional<std::string> group_of(const fs::path& root, const std::string& controller) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (names.find("," + controller + ",") != std::string::npos) return line.substr(second + 1);
  }
  return {};
}

// Of version 1: "-1" is none.
double quota_v1(const fs::path& folder) {
  std::ifstream file(folder / "cpu.cfs_quota_us");
  double quota_us = -1;
  const std::optional<std::uint64_t> period_us = number_in(folder / "cpu.cfs_period_us");
  if (!(file >> quota_us) || quota_us <= 0 || !period_us || *period_us == 0) {
    return std::numeric_limits<double>::infinity();
  }
  return quota_us / static_cast<double>(*period_us);
}

// Of version 2: "150000 100000", or "max 100000" for none.
double quota_v2(const fs::path& folder) {
  std::ifstream file(folder / "cpu.max");
  double quota_us = 0;
  double period_us = 0;
  if (!(file >> quota_us >> period_us) || quota_us <= 0 || period_us <= 0) {
    return std::numeric_limits<double>::infinity();
  }
  return quota_us / period_us;
}

// The tightest quota of the group and of those that it is in.
double tightest(const fs::path& mount, const std::string& group, double (*quota)(const fs::path&)) {
  double least = quota(mount);
  fs::path level = mount;
  for (const fs::path& part : fs::path(group).relative_path()) {
    level /= part;
    least = std::min(least, quota(level));
  }
  return least;
}

// The hierarchy that has the controller: version 2, or that of version 1.
std::optional<double> cpu_quota(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::error_code failed;
  if (fs::exists(mount / "cgroup.controllers", failed)) {
    return tightest(mount, group_of(root, "").value_or("/"), quota_v2);
  }
  const std::optional<std::string> group = group_of(root, "cpu");
  if (!group || !fs::exists(mount / "cpu/cpu.cfs_quota_us", failed)) return {};
  return tightest(mount / "cpu", *group, quota_v1);
}

std::optional<std::uint64_t> limit_of(int resource) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return {};
  return limit.rlim_cur == RLIM_INFINITY ? kNoLimit : static_cast<std::uint64_t>(limit.rlim_cur);
}

}  // namespace

SystemLimits read_limit_files(const fs::path& root) {
  SystemLimits limits;
  limits.datagram_queue = number_in(root / "proc/sys/net/unix/max_dgram_qlen");
  limits.cpu_quota = cpu_quota(root);
  limits.available_bytes = meminfo_bytes(root, "MemAvailable");
  limits.swap_bytes = meminfo_bytes(root, "SwapTotal");
  const std::optional<std::uint64_t> free_bytes = meminfo_bytes(root, "SwapFree");
  if (limits.swap_bytes && free_bytes) {
    limits.swap_used_bytes = *limits.swap_bytes - std::min(*limits.swap_bytes, *free_bytes);
  }
  return limits;
}

SystemLimits read_system_limits() {
  SystemLimits limits = read_limit_files("/");
  limits.administrator = geteuid() == 0;
  limits.open_files = limit_of(RLIMIT_NOFILE);
  limits.locked_bytes = limit_of(RLIMIT_MEMLOCK);
  return limits;
}

std::optional<bool> is_in_memory(const fs::path& folder) {
  constexpr std::uint32_t kTmpfs = 0x01021994;  // statfs(2)
  constexpr std::uint32_t kRamfs = 0x858458F6;
  struct statfs status {};
  if (statfs(folder.c_str(), &status) != 0) return {};
  const auto type = static_cast<std::uint32_t>(status.f_type);
  return type == kTmpfs || type == kRamfs;
}

}  // namespace tailgate
