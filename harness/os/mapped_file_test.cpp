#include "harness/os/mapped_file.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"

namespace tailgate {
namespace {

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST_CASE("a file mapped to read has all bytes of the file, and cannot grow") {
  const TestDirectory directory;
  const std::filesystem::path path = directory.path() / "file";
  const std::string content = std::string("a\0b", 3) + std::string(100'000, 'x');
  { std::ofstream(path, std::ios::binary) << content; }
  MappedFile file(path);
  CHECK(text_of(file) == content);
  CHECK_THROWS_WITH(file.extend(1 << 20), Catch::Contains("above its limit"));
  file.close(1);
  CHECK(std::filesystem::file_size(path) == content.size());
}

TEST_CASE("an empty file has no bytes") {
  const TestDirectory directory;
  const std::filesystem::path path = directory.path() / "file";
  { std::ofstream create(path); }
  CHECK(MappedFile(path).bytes().empty());
}

TEST_CASE("a missing file and a folder cannot be mapped") {
  const TestDirectory directory;
  CHECK_THROWS_AS(MappedFile(directory.path() / "none"), Error);
  CHECK_THROWS_AS(MappedFile(directory.path()), Error);
}

TEST_CASE("a file that is written grows with zeros up to its limit, and closes at its used size") {
  const TestDirectory directory;
  const std::filesystem::path path = directory.path() / "file";
  constexpr std::size_t kLimitBytes = 1 << 20;
  MappedFile file(path, kLimitBytes);
  CHECK(file.bytes().empty());
  file.extend(1);
  const std::size_t first_bytes = file.capacity_bytes();
  CHECK(first_bytes >= 1);
  file.data()[0] = std::byte{'a'};
  file.extend(kLimitBytes);
  REQUIRE(file.capacity_bytes() == kLimitBytes);
  CHECK(text_of(file).substr(0, 2) == std::string_view("a\0", 2));
  CHECK(std::all_of(file.bytes().begin() + 1, file.bytes().end(),
                    [](std::byte value) { return value == std::byte{0}; }));
  CHECK_THROWS_WITH(file.extend(kLimitBytes + 1), Catch::Contains("above its limit"));
  file.data()[kLimitBytes - 1] = std::byte{'z'};
  CHECK(text_of(MappedFile(path)) == text_of(file));
  file.close(1);
  CHECK(text_of(MappedFile(path)) == "a");
}

}  // namespace
}  // namespace tailgate
