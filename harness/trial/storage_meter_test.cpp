#include "harness/trial/storage_meter.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "harness/base/testing/test_directory.h"

namespace tailgate {
namespace {

void write(const std::filesystem::path& path, std::size_t bytes) {
  std::ofstream(path, std::ios::binary) << std::string(bytes, 'x');
}

TEST_CASE("a storage meter adds up the files of a folder and of those within") {
  const TestDirectory scratch;
  write(scratch.path() / "old", 10);
  StorageMeter meter(ClockParameters{}, scratch.path());
  std::filesystem::create_directory(scratch.path() / "within");
  write(scratch.path() / "within" / "new", 100);
  write(scratch.path() / "within" / ".state", 1000);  // no events
  meter.look();
  std::filesystem::remove(scratch.path() / "old");
  const StorageUse use = meter.take();
  CHECK(use.before_bytes == 10);
  CHECK(use.looks == 2);
  REQUIRE(use.kept.size() == 2);
  CHECK(use.kept[0].bytes == 110);
  CHECK(use.kept[0].files == 2);
  CHECK(use.kept[1].bytes == 100);
  CHECK(use.kept[1].files == 1);
}

TEST_CASE("a storage meter keeps the most of any look in bounded memory") {
  const TestDirectory scratch;
  StorageMeter meter(ClockParameters{}, scratch.path());
  constexpr std::size_t kLooks = 3 * StorageMeter::kMostKept + 1;
  for (std::size_t i = 0; i < kLooks; ++i) {
    write(scratch.path() / "one", i == 333 ? 5000 : i % 7);
    meter.look();
  }
  const StorageUse use = meter.take();
  CHECK(use.looks == kLooks + 1);
  CHECK(use.kept.size() <= StorageMeter::kMostKept + 1);
  const auto most = std::max_element(
      use.kept.begin(), use.kept.end(),
      [](const StorageLook& a, const StorageLook& b) { return a.most_bytes < b.most_bytes; });
  CHECK(most->most_bytes == 5000);
  CHECK(most->bytes < 7);
  CHECK(
      std::is_sorted(use.kept.begin(), use.kept.end(),
                     [](const StorageLook& a, const StorageLook& b) { return a.at_ns < b.at_ns; }));
}

}  // namespace
}  // namespace tailgate
