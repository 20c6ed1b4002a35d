// A captured call stack in an event: words of 8 bytes at the end of its body, in the text encoding
// 16 letters each. The first is the address of a function of this program, so that a reader with
// the program at another address can tell which functions the others are in.
#pragma once

#include <cstddef>
#include <span>

#include "harness/base/event.h"

namespace tailgate {

inline constexpr std::size_t kMostCapturedFrames = 64;

// The bytes of a stack with so many frames.
constexpr std::size_t stack_bytes(EventEncoding encoding, std::size_t frames) {
  return (frames + 1) * (encoding == EventEncoding::binary ? 8 : 16);
}

// Writes the frames into the event's end, which must have room for them. Allocates nothing.
void write_stack(std::span<std::byte> event, EventEncoding encoding,
                 std::span<void* const> frames) noexcept;

// Whether the event ends in the stack that write_stack() wrote of the same frames, in any process
// of this program. Accepts any bytes.
bool ends_in_stack(std::span<const std::byte> event, EventEncoding encoding,
                   std::span<void* const> frames);

}  // namespace tailgate
