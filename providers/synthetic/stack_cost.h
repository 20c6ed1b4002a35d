// What each frame of the caller's stack costs a call, by a count of the frames that are there.
#pragma once

#include <array>
#include <cstdint>

#include "harness/base/options.h"
#include "providers/shared/callstack/call_stack.h"

namespace tailgate {

struct StackCost {
  explicit StackCost(const Options& options)
      : captured(options.boolean("stack")),
        frame_ns(static_cast<std::uint64_t>(options.integer("stack_frame_ns"))) {
    if (captured) prepare_call_stacks();
  }

  std::uint64_t of_caller_ns() const noexcept {
    if (!captured) return 0;
    std::array<void*, kMostFrames> frames;
    return frame_ns * capture_call_stack(frames);
  }

  static constexpr std::size_t kMostFrames = 256;
  bool captured;
  std::uint64_t frame_ns;
};

}  // namespace tailgate
