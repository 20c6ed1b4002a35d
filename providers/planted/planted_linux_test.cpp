#include <linux/magic.h>
#include <sys/vfs.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "harness/os/thread_switches.h"
#include "providers/testing/test_trial.h"

namespace tailgate {
namespace {

// A count of /proc/self/io: the kernel's own account of this process.
std::uint64_t io_count(const std::string& name) {
  std::ifstream io("/proc/self/io");
  std::string key;
  std::uint64_t value = 0;
  while (io >> key >> value) {
    if (key == name + ":") return value;
  }
  FAIL("/proc/self/io has no " << name);
  return 0;
}

TEST_CASE("plant_written_bytes writes so many bytes more per call, in blocks") {
  TestTrial trial("null:plant_written_bytes=100");
  trial.open();
  const std::uint64_t bytes_before = io_count("wchar");
  const std::uint64_t calls_before = io_count("syscw");
  for (int i = 0; i < 10'000; ++i) trial.emit();
  // A million bytes are 61 blocks of 16 KiB; the rest waits for more.
  CHECK(io_count("wchar") - bytes_before == 61 * 16'384);
  CHECK(io_count("syscw") - calls_before == 61);
  trial.provider().close();
}

TEST_CASE("plant_sync_every writes a block every so many calls and waits for storage") {
  TestTrial trial("null:plant_sync_every=10");
  trial.open();
  const std::uint64_t bytes_before = io_count("wchar");
  const std::uint64_t waits_before = thread_switches()->voluntary;
  for (int i = 0; i < 205; ++i) trial.emit();
  CHECK(io_count("wchar") - bytes_before == std::uint64_t{20} * 16'384);
  struct statfs files = {};
  REQUIRE(statfs(trial.context().directory.c_str(), &files) == 0);
  if (files.f_type != TMPFS_MAGIC) CHECK(thread_switches()->voluntary - waits_before >= 10);
  trial.provider().close();
}

}  // namespace
}  // namespace tailgate
