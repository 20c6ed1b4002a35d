#include "harness/etw/testing/stand_in_memory_windows.h"

namespace tailgate::etw::stand_in {
namespace {

bool being_filled(std::uint32_t index) {
  for (const std::uint32_t current : shared().current) {
    if (current == index + 1) return true;
  }
  return false;
}

// The buffer to begin next: index + 1, or 0 when none is free.
std::uint32_t next_buffer() {
  Shared& memory = shared();
  std::uint32_t oldest = 0;
  for (std::uint32_t i = 0; i < kBuffers; ++i) {
    if (being_filled(i)) continue;
    if (memory.buffers[i].used == 0) return i + 1;
    if (oldest == 0 || memory.buffers[i].begun_before < memory.buffers[oldest - 1].begun_before)
      oldest = i + 1;
  }
  return in_mode(EVENT_TRACE_BUFFERING_MODE) ? oldest : 0;
}

}  // namespace

std::uint8_t* room_for(std::uint32_t processor, std::uint32_t size) {
  Shared& memory = shared();
  const std::uint32_t needed = size + static_cast<std::uint32_t>(sizeof size);
  std::uint32_t& current = memory.current[processor];
  if (current != 0) {
    Buffer& buffer = memory.buffers[current - 1];
    // An emptied buffer may belong to another processor by now.
    const bool ours = buffer.used > 0 && buffer.full == 0 && buffer.processor == processor;
    if (ours && buffer.used + needed > memory.buffer_bytes) buffer.full = 1;
    if (!ours || buffer.full != 0) current = 0;
  }
  if (current == 0) {
    current = next_buffer();
    if (current == 0) return nullptr;
    Buffer& begun = memory.buffers[current - 1];
    begun.used = begun.full = 0;
    begun.processor = processor;
    begun.begun_before = memory.buffers_begun++;
  }
  Buffer& buffer = memory.buffers[current - 1];
  std::memcpy(&buffer.bytes[buffer.used], &size, sizeof size);
  std::uint8_t* const room = &buffer.bytes[buffer.used + sizeof size];
  buffer.used += needed;
  return room;
}

}  // namespace tailgate::etw::stand_in
