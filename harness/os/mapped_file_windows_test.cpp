// Where files that grow are mapped.
#include <catch2/catch.hpp>
#include <memory>

#include "harness/base/testing/test_directory.h"
#include "harness/os/mapped_file.h"

namespace tailgate {
namespace {

constexpr std::size_t kLargeBytes = std::size_t{1} << 34;
constexpr std::size_t kSmallBytes = std::size_t{1} << 22;

TEST_CASE("the addresses of a closed file are used again") {
  const TestDirectory directory;
  const auto opened = [&](const char* name, std::size_t bytes) {
    auto file = std::make_unique<MappedFile>(directory.path() / name, bytes);
    file->extend(1);
    file->data()[0] = std::byte{'a'};
    return file;
  };
  auto first = opened("first", kLargeBytes);
  auto second = opened("second", kLargeBytes);
  const std::byte* const address = first->data();
  CHECK(second->data() != address);
  first->close(1);
  auto third = opened("third", kLargeBytes);
  CHECK(third->data() == address);
  // A smaller file takes a part, and the next one the rest.
  third.reset();
  const auto small = opened("small", kSmallBytes);
  const auto next = opened("next", kSmallBytes);
  CHECK(small->data() == address);
  CHECK(next->data() == address + kSmallBytes);
}

}  // namespace
}  // namespace tailgate
