#include "harness/os/shared_memory.h"

#include <catch2/catch.hpp>

#include <algorithm>

#include "harness/base/error.h"

using tailgate::SharedMemory;

TEST_CASE("new shared memory is zeroed and has the requested size") {
  const SharedMemory memory = SharedMemory::create(1 << 20);
  REQUIRE(memory.size_bytes() == 1 << 20);
  CHECK(std::all_of(memory.data(), memory.data() + memory.size_bytes(),
                    [](std::byte value) { return value == std::byte{0}; }));
}

TEST_CASE("a text that is not a shared memory handle is an error") {
  for (const char* text : {"", "x", "12x", "-1", "0", "999999"}) {
    CHECK_THROWS_WITH(SharedMemory::open_inherited(text), Catch::Contains("shared memory handle"));
  }
}
