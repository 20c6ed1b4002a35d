#include "harness/os/api_windows.h"
#include "providers/shared/callstack/call_stack.h"

namespace tailgate {

void prepare_call_stacks() {
  void* frames[4];
  capture_call_stack(frames);
}

std::size_t capture_call_stack(std::span<void*> frames) noexcept {
  return CaptureStackBackTrace(0, static_cast<DWORD>(frames.size()), frames.data(), nullptr);
}

}  // namespace tailgate
