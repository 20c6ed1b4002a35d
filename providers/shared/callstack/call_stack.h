// The call stack of the calling thread, as loggers capture it that attach a backtrace: by the
// system's own function, glibc's backtrace() or Windows' CaptureStackBackTrace().
#pragma once

#include <cstddef>
#include <span>

namespace tailgate {

// Loads what the first capture of a process loads. Call it before the first timed capture, which
// then allocates nothing.
void prepare_call_stacks();

// Writes the frames' return addresses, the innermost first; frame 0 is in this function. Returns
// how many it wrote: as many as there is room for, fewer if the stack ends before or the system
// cannot walk on.
std::size_t capture_call_stack(std::span<void*> frames) noexcept;

}  // namespace tailgate
