// Calls of an allocator that are made up, so that the blocks which are left are known.
#include "harness/profile/live_blocks.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

namespace tailgate::profile {
namespace {

class Calls {
 public:
  Calls& begins(AllocatorFunction function, std::uint64_t address, std::uint64_t bytes,
                std::uint32_t thread = 1) {
    return add(function, false, address, bytes, thread);
  }

  Calls& ends(AllocatorFunction function, std::uint64_t address, std::uint32_t thread = 1) {
    return add(function, true, address, 0, thread);
  }

  Calls& allocate(std::uint64_t address, std::uint64_t bytes, std::uint32_t thread = 1) {
    return begins(AllocatorFunction::allocate, 0, bytes, thread)
        .ends(AllocatorFunction::allocate, address, thread);
  }

  Calls& reallocate(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
    return begins(AllocatorFunction::reallocate, from, bytes)
        .ends(AllocatorFunction::reallocate, to);
  }

  Calls& free(std::uint64_t address, std::uint32_t thread = 1) {
    return begins(AllocatorFunction::free, address, 0, thread);
  }

  // Of each block, its bytes.
  std::vector<std::uint64_t> left() const {
    std::vector<std::uint64_t> bytes;
    for (const LiveBlock& block : live_blocks(calls_)) bytes.push_back(block.bytes);
    return bytes;
  }

  std::vector<AllocatorCall> calls_;

 private:
  Calls& add(AllocatorFunction function, bool ends, std::uint64_t address, std::uint64_t bytes,
             std::uint32_t thread) {
    const std::size_t number = calls_.size();
    calls_.push_back({.time_ns = 100 + number,
                      .process = 7,
                      .thread = thread,
                      .function = function,
                      .ends = ends,
                      .address = address,
                      .bytes = bytes,
                      .sample = number});
    return *this;
  }
};

using Bytes = std::vector<std::uint64_t>;

TEST_CASE("blocks that were not freed are left, by the call that allocated them") {
  const Calls calls = Calls().allocate(0x10, 48).allocate(0x20, 100).free(0x20).allocate(0x20, 60);
  CHECK(calls.left() == Bytes{48, 60});
  const std::vector<LiveBlock> blocks = live_blocks(calls.calls_);
  CHECK(blocks[0].sample == 0);
  CHECK(blocks[1].sample == 5);
}

TEST_CASE("a block that grows is one block of its last size, wherever it lies") {
  CHECK(Calls().allocate(0x10, 10).reallocate(0x10, 0x10, 20).left() == Bytes{20});
  CHECK(Calls().allocate(0x10, 10).reallocate(0x10, 0x50, 3000).left() == Bytes{3000});
  CHECK(Calls().reallocate(0, 0x50, 40).left() == Bytes{40});
}

TEST_CASE("a call that gets no memory changes nothing, and a block of no size is freed") {
  CHECK(Calls().allocate(0, 1 << 30).left().empty());
  CHECK(Calls().allocate(0x10, 10).reallocate(0x10, 0, 1 << 30).left() == Bytes{10});
  CHECK(Calls().allocate(0x10, 10).reallocate(0x10, 0, 0).left().empty());
}

TEST_CASE("a block may be freed by another thread, or be from before") {
  CHECK(Calls().allocate(0x10, 10).free(0x10, 2).left().empty());
  CHECK(Calls().free(0x99).allocate(0x10, 10).left() == Bytes{10});
  CHECK(Calls().ends(AllocatorFunction::allocate, 0x10).left().empty());
}

TEST_CASE("threads allocate at the same time, and their calls come in any order") {
  Calls calls;
  calls.begins(AllocatorFunction::allocate, 0, 10, 1)
      .begins(AllocatorFunction::allocate, 0, 20, 2)
      .ends(AllocatorFunction::allocate, 0x20, 2)
      .ends(AllocatorFunction::allocate, 0x10, 1)
      .free(0x20, 1);
  std::swap(calls.calls_.front(), calls.calls_.back());
  CHECK(calls.left() == Bytes{10});
}

TEST_CASE("an allocator that builds on another one counts once") {
  const auto calls = Calls()
                         .begins(AllocatorFunction::reallocate, 0x10, 200)
                         .allocate(0x50, 208)
                         .free(0x10)
                         .ends(AllocatorFunction::reallocate, 0x50);
  CHECK(calls.left() == Bytes{200});
}

}  // namespace
}  // namespace tailgate::profile
