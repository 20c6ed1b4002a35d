#include "harness/os/limits_linux.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <string>

#include "harness/base/testing/test_directory.h"

namespace fs = std::filesystem;
using tailgate::read_limit_files;
using tailgate::SystemLimits;
using tailgate::TestDirectory;

namespace {

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("memory, swap and the datagrams of a socket are read from the kernel's files") {
  const TestDirectory root;
  write(root / "proc/meminfo",
        "MemTotal:       16314920 kB\nMemFree:         1000 kB\nMemAvailable:     2048 kB\n"
        "SwapCached:           7 kB\nSwapTotal:       4096 kB\nSwapFree:        3072 kB\n");
  write(root / "proc/sys/net/unix/max_dgram_qlen", "512\n");
  const SystemLimits limits = read_limit_files(root.path());
  CHECK(limits.available_bytes == 2048u * 1024);
  CHECK(limits.swap_bytes == 4096u * 1024);
  CHECK(limits.swap_used_bytes == 1024u * 1024);
  CHECK(limits.datagram_queue == 512u);
}

TEST_CASE("the tightest quota of a group and those around it counts, in version 2") {
  const TestDirectory root;
  const fs::path mount = root / "sys/fs/cgroup";
  write(mount / "cgroup.controllers", "cpu memory\n");
  write(root / "proc/self/cgroup", "0::/outer/inner\n");
  write(mount / "outer/cpu.max", "150000 100000\n");
  write(mount / "outer/inner/cpu.max", "max 100000\n");
  CHECK(read_limit_files(root.path()).cpu_quota == 1.5);
  write(mount / "outer/inner/cpu.max", "50000 100000\n");
  CHECK(read_limit_files(root.path()).cpu_quota == 0.5);
  write(mount / "outer/inner/cpu.max", "max 100000\n");
  write(mount / "outer/cpu.max", "max 100000\n");
  CHECK(std::isinf(read_limit_files(root.path()).cpu_quota.value()));
}

TEST_CASE("the tightest quota of a group and those around it counts, in version 1") {
  const TestDirectory root;
  const fs::path mount = root / "sys/fs/cgroup/cpu";
  write(root / "proc/self/cgroup", "3:memory:/elsewhere\n2:cpuacct,cpu:/box\n0::/\n");
  write(mount / "cpu.cfs_quota_us", "-1\n");
  write(mount / "cpu.cfs_period_us", "100000\n");
  CHECK(std::isinf(read_limit_files(root.path()).cpu_quota.value()));
  write(mount / "box/cpu.cfs_quota_us", "250000\n");
  write(mount / "box/cpu.cfs_period_us", "100000\n");
  CHECK(read_limit_files(root.path()).cpu_quota == 2.5);
}

TEST_CASE("what the kernel does not tell is absent, and damaged files tell nothing") {
  const TestDirectory root;
  for (int damaged = 0; damaged < 2; ++damaged) {
    const SystemLimits limits = read_limit_files(root.path());
    CHECK_FALSE(limits.available_bytes);
    CHECK_FALSE(limits.swap_bytes);
    CHECK_FALSE(limits.swap_used_bytes);
    CHECK_FALSE(limits.datagram_queue);
    CHECK_FALSE(limits.cpu_quota);
    write(root / "proc/meminfo", "MemAvailable: much kB\nSwapTotal:\nSwapFree: 3 kB\n");
    write(root / "proc/sys/net/unix/max_dgram_qlen", "ten\n");
    write(root / "proc/self/cgroup", "2:cpu\n:::\n");
  }
}

TEST_CASE("a process tells its own limits, and a folder whether it is in memory") {
  const SystemLimits limits = tailgate::read_system_limits();
  CHECK(limits.open_files.value() > 0);
  CHECK(limits.locked_bytes.has_value());
  CHECK(limits.administrator.has_value());
  CHECK(tailgate::is_in_memory("/proc") == false);
  CHECK_FALSE(tailgate::is_in_memory("/no/such/folder"));
}
