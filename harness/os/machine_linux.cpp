#include "harness/os/machine_linux.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "harness/os/affinity.h"
#include "harness/os/cpu_features.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

#if defined(__x86_64__)
constexpr const char* kArchitecture = "x86-64";
#elif defined(__aarch64__)
constexpr const char* kArchitecture = "aarch64";
#else
constexpr const char* kArchitecture = "other";
#endif

std::string trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

// Returns the whole file without blanks at its ends; empty if it cannot be read.
std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text, '\0');  // stream iterators would throw if reading fails
  return trim(text);
}

// Returns the text after `key` and the separator in the first line that begins with them.
std::string value_of(const std::string& text, std::string_view key, char separator) {
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = std::string_view(text).substr(start, end - start);
    const std::size_t at = line.find(separator);
    if (at != std::string_view::npos && trim(line.substr(0, at)) == key) {
      return trim(line.substr(at + 1));
    }
    start = end + 1;
  }
  return "";
}

std::string without_quotes(const std::string& text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  return text.substr(1, text.size() - 2);
}

// Returns the word in brackets: "madvise" for "always [madvise] never".
std::string bracketed(const std::string& text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', open);
  if (open == std::string::npos || close == std::string::npos) return text;
  return text.substr(open + 1, close - open - 1);
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc()) return std::nullopt;
  return value;
}

std::string cpu_model(const std::string& cpuinfo) {
  const std::string model = value_of(cpuinfo, "model name", ':');
  if (!model.empty()) return model;
  // 64-bit Arm kernels provide numbers only.
  const std::string implementer = value_of(cpuinfo, "CPU implementer", ':');
  if (implementer.empty()) return "unknown";
  return fmt::format("implementer {} part {}", implementer, value_of(cpuinfo, "CPU part", ':'));
}

std::string hypervisor(const fs::path& root, std::string_view signature) {
  if (!signature.empty()) return hypervisor_name(signature);
  const std::string type = read_text(root / "sys/hypervisor/type");
  if (!type.empty()) return type == "xen" ? "Xen" : type;
  // Without CPUID, a virtual machine is recognised by its firmware's tables.
  const fs::path dmi = root / "sys/class/dmi/id";
  const std::string vendor = read_text(dmi / "sys_vendor");
  const std::string product = read_text(dmi / "product_name");
  const std::pair<std::string_view, std::string_view> known[] = {{"QEMU", "QEMU"},
                                                                 {"VMware", "VMware"},
                                                                 {"KVM", "KVM"},
                                                                 {"Xen", "Xen"},
                                                                 {"innotek GmbH", "VirtualBox"},
                                                                 {"VirtualBox", "VirtualBox"},
                                                                 {"Parallels", "Parallels"},
                                                                 {"Google Compute Engine", "KVM"},
                                                                 {"Virtual Machine", "Hyper-V"}};
  for (const auto& [sign, name] : known) {
    if (vendor.find(sign) != std::string::npos || product.find(sign) != std::string::npos) {
      return std::string(name);
    }
  }
  return "none seen";
}

// Returns the frequency governors of all processors, separated by slashes if they differ.
std::string governors(const fs::path& root) {
  std::set<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu", failed)) {
    std::string name = read_text(entry.path() / "cpufreq/scaling_governor");
    if (!name.empty()) names.insert(std::move(name));
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, "/"));
}

std::string turbo(const fs::path& root) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  const std::string no_turbo = read_text(cpu / "intel_pstate/no_turbo");
  if (!no_turbo.empty()) return no_turbo == "0" ? "on" : "off";
  const std::string boost = read_text(cpu / "cpufreq/boost");
  if (!boost.empty()) return boost == "0" ? "off" : "on";
  return "";
}

// Returns the tightest CPU limit of this process's control group (version 2) and its parents, in
// processors: "1.50". Empty if there is none.
std::string cpu_quota_text(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  // "0::/a/b": hierarchy 0, no controllers, the group's path.
  const std::string group = value_of(read_text(root / "proc/self/cgroup"), "0", ':');
  const fs::path relative =
      fs::path(group.substr(std::min<std::size_t>(1, group.size()))).relative_path();
  std::optional<double> tightest;
  for (fs::path level = mount / relative; true; level = level.parent_path()) {
    const std::string limit = read_text(level / "cpu.max");
    const std::size_t blank = limit.find(' ');
    const auto quota = leading_number(limit);
    if (quota && blank != std::string::npos) {
      const auto period = leading_number(std::string_view(limit).substr(blank + 1));
      if (period && *period > 0) {
        const double cpus = static_cast<double>(*quota) / static_cast<double>(*period);
        tightest = std::min(tightest.value_or(cpus), cpus);
      }
    }
    if (level == mount || level == level.parent_path()) break;
  }
  return tightest ? fmt::format("{:.2f}", *tightest) : "";
}

std::string boot(const fs::path& root) {
  const std::string id = read_text(root / "proc/sys/kernel/random/boot_id");
  // Hashed, since it only serves to distinguish two starts of the machine.
  return id.empty() ? "" : fnv1a_hex(id).substr(0, 8);
}

// Packages whose code runs on the paths that are measured; with a version in their name, the names
// begin so.
bool is_of_interest(std::string_view package) {
  constexpr std::string_view kNames[] = {"libc6",        "libstdc++6",    "systemd",
                                         "rsyslog",      "syslog-ng",     "syslog-ng-core",
                                         "lttng-tools",  "liblttng-ctl0", "lttng-modules-dkms",
                                         "libspdlog-dev"};
  return package.starts_with("liblttng-ust1") || package.starts_with("liblttng-ust-ctl") ||
         std::find(std::begin(kNames), std::end(kNames), package) != std::end(kNames);
}

// Their installed versions, by dpkg's list: one file, which is read in milliseconds. Other package
// managers keep databases that only they read, and are left out.
std::map<std::string, std::string> package_versions(const fs::path& root) {
  std::map<std::string, std::string> versions;
  std::ifstream file(root / "var/lib/dpkg/status");
  std::string package;
  bool installed = false;
  for (std::string line; std::getline(file, line);) {
    const auto value = [&line](std::string_view key) {
      return line.starts_with(key) ? trim(std::string_view(line).substr(key.size()))
                                   : std::string();
    };
    if (line.empty()) package.clear();
    if (const std::string name = value("Package:"); !name.empty()) {
      package = is_of_interest(name) ? name : "";
      installed = false;
    }
    if (package.empty()) continue;
    if (const std::string state = value("Status:"); !state.empty()) {
      installed = state.ends_with(" installed");
    }
    if (const std::string version = value("Version:"); installed && !version.empty()) {
      versions.try_emplace(package, version);  // of several architectures the first
    }
  }
  return versions;
}

}  // namespace

MachineInfo read_machine_info(const fs::path& root, std::string_view signature,
                              const std::vector<int>& cpus) {
  MachineInfo machine;
  machine.os = without_quotes(value_of(read_text(root / "etc/os-release"), "PRETTY_NAME", '='));
  if (machine.os.empty()) machine.os = "Linux";
  machine.kernel = read_text(root / "proc/sys/kernel/osrelease");
  const std::string cpuinfo = read_text(root / "proc/cpuinfo");
  machine.cpu_model = cpu_model(cpuinfo);
  machine.logical_cpus = static_cast<unsigned>(cpus.size());
  const std::string memory = value_of(read_text(root / "proc/meminfo"), "MemTotal", ':');
  machine.memory_bytes = leading_number(memory).value_or(0) * 1024;  // the kernel's unit is KiB
  machine.hypervisor = hypervisor(root, signature);

  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) machine.details.emplace_back(name, std::move(value));
  };
  const fs::path cpu = root / "sys/devices/system/cpu";
  const std::string isolated = read_text(cpu / "isolated");
  add("architecture", kArchitecture);
  add("kernel_version", read_text(root / "proc/sys/kernel/version"));
  add("microcode", value_of(cpuinfo, "microcode", ':'));
  add("allowed_cpus", format_cpu_list(cpus));
  add("online_cpus", read_text(cpu / "online"));
  add("isolated_cpus", isolated.empty() ? "none" : isolated);
  add("smt", read_text(cpu / "smt/control"));
  add("governor", governors(root));
  add("turbo", turbo(root));
  add("cpu_quota", cpu_quota_text(root));
  add("clocksource", read_text(root / "sys/devices/system/clocksource/clocksource0/"
                                      "current_clocksource"));
  add("transparent_hugepages",
      bracketed(read_text(root / "sys/kernel/mm/transparent_hugepage/enabled")));
  for (const auto& [package, version] : package_versions(root)) {
    add(("package_" + package).c_str(), version);
  }
  add("boot", boot(root));
  machine.fingerprint = machine_fingerprint(machine);
  return machine;
}

MachineInfo collect_machine_info() {
  return read_machine_info("/", hypervisor_signature(), initial_cpus());
}

}  // namespace tailgate
