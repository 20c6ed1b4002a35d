#include <execinfo.h>

#include <array>

#include "providers/shared/callstack/call_stack.h"

namespace tailgate {

// The first backtrace() of a process loads libgcc.
void prepare_call_stacks() {
  std::array<void*, 4> frames;
  capture_call_stack(frames);
}

std::size_t capture_call_stack(std::span<void*> frames) noexcept {
  const int written = backtrace(frames.data(), static_cast<int>(frames.size()));
  return written < 0 ? 0 : static_cast<std::size_t>(written);
}

}  // namespace tailgate
