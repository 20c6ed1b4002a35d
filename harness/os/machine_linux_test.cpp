#include "harness/os/machine_linux.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <string>

#include "harness/base/testing/test_directory.h"

namespace fs = std::filesystem;
using tailgate::MachineInfo;
using tailgate::read_machine_info;
using tailgate::TestDirectory;

namespace {

void write_text(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// Writes the files of a desktop with hyper-threading and a frequency driver.
void write_desktop(const fs::path& root) {
  write_text(root / "etc/os-release",
             "NAME=\"Debian GNU/Linux\"\n"
             "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n");
  write_text(root / "proc/sys/kernel/osrelease", "6.1.0-28-amd64\n");
  write_text(root / "proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1\n");
  write_text(root / "proc/sys/kernel/random/boot_id", "3b1c57a2-0f0e-4f5e-9a3e-0123456789ab\n");
  write_text(root / "proc/cpuinfo",
             "processor\t: 0\nvendor_id\t: GenuineIntel\n"
             "model name\t: Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz\n"
             "microcode\t: 0xf4\n\nprocessor\t: 1\n");
  write_text(root / "proc/meminfo", "MemTotal:       16314920 kB\nMemFree:         1000 kB\n");
  const fs::path cpu = root / "sys/devices/system/cpu";
  write_text(cpu / "online", "0-11\n");
  write_text(cpu / "isolated", "\n");
  write_text(cpu / "smt/control", "on\n");
  write_text(cpu / "cpu0/cpufreq/scaling_governor", "powersave\n");
  write_text(cpu / "cpu1/cpufreq/scaling_governor", "powersave\n");
  write_text(cpu / "intel_pstate/no_turbo", "0\n");
  write_text(root / "sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  write_text(root / "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
}

std::map<std::string, std::string> details_of(const MachineInfo& machine) {
  return {machine.details.begin(), machine.details.end()};
}

}  // namespace

TEST_CASE("a desktop is read from the kernel's files") {
  const TestDirectory root;
  write_desktop(root.path());
  const MachineInfo machine = read_machine_info(root.path(), "", {0, 1, 2, 3, 6, 8, 9});
  CHECK(machine.os == "Debian GNU/Linux 12 (bookworm)");
  CHECK(machine.kernel == "6.1.0-28-amd64");
  CHECK(machine.cpu_model == "Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz");
  CHECK(machine.logical_cpus == 7);
  CHECK(machine.memory_bytes == 16314920ull * 1024);
  CHECK(machine.hypervisor == "none seen");
  auto details = details_of(machine);
  CHECK(details["allowed_cpus"] == "0-3,6,8-9");
  CHECK(details["online_cpus"] == "0-11");
  CHECK(details["isolated_cpus"] == "none");
  CHECK(details["smt"] == "on");
  CHECK(details["governor"] == "powersave");
  CHECK(details["turbo"] == "on");
  CHECK(details["microcode"] == "0xf4");
  CHECK(details["clocksource"] == "tsc");
  CHECK(details["transparent_hugepages"] == "madvise");
  CHECK(details["boot"].size() == 8);
  CHECK(details.count("cpu_quota") == 0);
  CHECK(machine.fingerprint == machine_fingerprint(machine));
}

TEST_CASE("the versions of installed packages that matter are facts, but not of the class") {
  const TestDirectory root;
  write_desktop(root.path());
  const MachineInfo without = read_machine_info(root.path(), "", {0});
  write_text(root / "var/lib/dpkg/status",
             "Package: libc6\nStatus: install ok installed\nArchitecture: amd64\n"
             "Version: 2.36-9+deb12u9\nDescription: GNU C Library\n Package: libc7\n\n"
             "Package: libc6\nStatus: install ok installed\nArchitecture: i386\n"
             "Version: 2.36-9\n\n"
             "Package: rsyslog\nStatus: deinstall ok config-files\nVersion: 8.2302\n\n"
             "Package: nano\nStatus: install ok installed\nVersion: 7.2\n\n"
             "Package: liblttng-ust1\nStatus: hold ok installed\nVersion: 2.13.5-1\n");
  const MachineInfo machine = read_machine_info(root.path(), "", {0});
  std::map<std::string, std::string> packages;
  for (const auto& [name, value] : machine.details) {
    if (name.starts_with("package_")) packages[name] = value;
  }
  CHECK(packages == std::map<std::string, std::string>{{"package_libc6", "2.36-9+deb12u9"},
                                                       {"package_liblttng-ust1", "2.13.5-1"}});
  CHECK(machine.fingerprint == without.fingerprint);
}

TEST_CASE("if processors have different governors, all of them are named") {
  const TestDirectory root;
  write_desktop(root.path());
  write_text(root / "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  CHECK(details_of(read_machine_info(root.path(), "", {0}))["governor"] == "performance/powersave");
}

TEST_CASE("the tightest control group limit counts") {
  const TestDirectory root;
  write_text(root / "proc/self/cgroup", "0::/outer/inner\n");
  write_text(root / "sys/fs/cgroup/outer/cpu.max", "150000 100000\n");
  write_text(root / "sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  CHECK(details_of(read_machine_info(root.path(), "", {0}))["cpu_quota"] == "1.50");
  write_text(root / "sys/fs/cgroup/outer/inner/cpu.max", "50000 100000\n");
  CHECK(details_of(read_machine_info(root.path(), "", {0}))["cpu_quota"] == "0.50");
}

TEST_CASE("in a container the root group has the limit") {
  const TestDirectory root;
  write_text(root / "proc/self/cgroup", "0::/\n");
  write_text(root / "sys/fs/cgroup/cpu.max", "200000 100000\n");
  CHECK(details_of(read_machine_info(root.path(), "", {0}))["cpu_quota"] == "2.00");
}

TEST_CASE("a hypervisor is recognised by CPUID, sysfs or the firmware's tables") {
  const TestDirectory root;
  CHECK(read_machine_info(root.path(), "VMwareVMware", {0}).hypervisor == "VMware");
  write_text(root / "sys/class/dmi/id/sys_vendor", "QEMU\n");
  CHECK(read_machine_info(root.path(), "", {0}).hypervisor == "QEMU");
  write_text(root / "sys/hypervisor/type", "xen\n");
  CHECK(read_machine_info(root.path(), "", {0}).hypervisor == "Xen");
}

TEST_CASE("an Arm processor is described by its numbers") {
  const TestDirectory root;
  write_text(root / "proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
  CHECK(read_machine_info(root.path(), "", {0}).cpu_model == "implementer 0x41 part 0xd0c");
}

TEST_CASE("fields of missing and invalid files are omitted without an error") {
  const TestDirectory root;
  const MachineInfo nothing = read_machine_info(root.path(), "", {});
  CHECK(nothing.cpu_model == "unknown");
  CHECK(nothing.os == "Linux");
  CHECK(nothing.memory_bytes == 0);
  write_text(root / "proc/meminfo", "MemTotal: lots\n:\n\n");
  write_text(root / "proc/cpuinfo", std::string(1000, '\0') + ":::\n");
  write_text(root / "proc/self/cgroup", "0::\n0\n:\n");
  write_text(root / "sys/fs/cgroup/cpu.max", "5 0\n");
  write_text(root / "sys/kernel/mm/transparent_hugepage/enabled", "]x[");
  const MachineInfo machine = read_machine_info(root.path(), "", {});
  CHECK(machine.memory_bytes == 0);
  CHECK(details_of(machine).count("cpu_quota") == 0);
}
