// Which of the blocks that programs allocate were not freed: a pure function of their calls of the
// allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tailgate::profile {

enum class AllocatorFunction : std::uint8_t { allocate, reallocate, free };

// The begin or the end of a call; the end of a free is none.
struct AllocatorCall {
  std::uint64_t time_ns = 0;
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  AllocatorFunction function = AllocatorFunction::allocate;
  bool ends = false;
  std::uint64_t address = 0;  // that it was given, or, where it ends, that it returned; 0: none
  std::uint64_t bytes = 0;    // that it was asked for
  std::size_t sample = 0;     // any number that the caller knows it by
};

struct LiveBlock {
  std::uint64_t bytes = 0;
  std::size_t sample = 0;  // of the begin of the call that allocated it
};

// In the order of their calls' ends. Calls may come in any order. Of a call within another one of
// the same thread, as an allocator makes that builds on another, the outer one counts. A block that
// was there before the first call is none of these.
std::vector<LiveBlock> live_blocks(std::vector<AllocatorCall> calls);

}  // namespace tailgate::profile
