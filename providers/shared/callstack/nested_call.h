// A call under so many frames: the depth that a program's call stack has where it logs.
#pragma once

#include <cstddef>
#include <span>

namespace tailgate {

// What is done in the innermost frame.
class InnermostCall {
 public:
  virtual ~InnermostCall() = default;
  virtual void run() noexcept = 0;
};

// Calls itself until there are so many frames of it, then `call` from the last. 0: calls it at
// once.
void call_under(std::size_t frames, InnermostCall& call) noexcept;

// An address within the function that is each of these frames.
const void* nested_frame_function();

}  // namespace tailgate
