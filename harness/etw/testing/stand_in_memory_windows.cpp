#include "harness/etw/testing/stand_in_memory_windows.h"

namespace tailgate::etw::stand_in {
namespace {

bool being_filled(const Session& session, std::uint32_t index) {
  for (const std::uint32_t current : session.current) {
    if (current == index + 1) return true;
  }
  return false;
}

// The buffer to begin next: index + 1, or 0 when none is free.
std::uint32_t next_buffer(std::uint32_t number) {
  const Session& session = shared().sessions[number];
  std::uint32_t oldest = 0;
  std::uint32_t free = 0;
  std::uint32_t own = 0;
  for (std::uint32_t i = 0; i < kAllBuffers; ++i) {
    const Buffer& buffer = shared().buffers[i];
    if (buffer.used == 0 && free == 0) free = i + 1;
    if (buffer.used == 0 || buffer.session != number) continue;
    ++own;
    if (being_filled(session, i)) continue;
    if (oldest == 0 || buffer.begun_before < shared().buffers[oldest - 1].begun_before) {
      oldest = i + 1;
    }
  }
  if (own < kBuffers && free != 0) return free;
  return session.in_mode(EVENT_TRACE_BUFFERING_MODE) ? oldest : 0;
}

}  // namespace

std::uint32_t session_named(const wchar_t* name) {
  std::uint32_t place = 0;
  while (place < kSessions && (shared().sessions[place].running == 0 ||
                               std::wcscmp(shared().sessions[place].name, name) != 0)) {
    ++place;
  }
  return place;
}

// A place is used again, so the handle of an earlier session there is another.
TRACEHANDLE handle_of(std::uint32_t session) {
  return (TRACEHANDLE{shared().sessions[session].generation} + 1) * kSessions + session;
}

std::uint32_t session_of(TRACEHANDLE handle) {
  const auto place = static_cast<std::uint32_t>(handle % kSessions);
  return shared().sessions[place].running != 0 && handle == handle_of(place) ? place : kSessions;
}

std::uint8_t* room_for(std::uint32_t number, std::uint32_t processor, std::uint32_t size) {
  Session& session = shared().sessions[number];
  const std::uint32_t needed = size + static_cast<std::uint32_t>(sizeof size);
  std::uint32_t& current = session.current[processor];
  if (current != 0) {
    Buffer& buffer = shared().buffers[current - 1];
    // An emptied buffer may be another processor's or session's by now.
    const bool ours = buffer.used > 0 && buffer.full == 0 && buffer.processor == processor &&
                      buffer.session == number;
    if (ours && buffer.used + needed > session.buffer_bytes) buffer.full = 1;
    if (!ours || buffer.full != 0) current = 0;
  }
  if (current == 0) {
    current = next_buffer(number);
    if (current == 0) return nullptr;
    Buffer& begun = shared().buffers[current - 1];
    begun.used = begun.full = 0;
    begun.session = number;
    begun.processor = processor;
    begun.begun_before = session.buffers_begun++;
  }
  Buffer& buffer = shared().buffers[current - 1];
  std::memcpy(&buffer.bytes[buffer.used], &size, sizeof size);
  std::uint8_t* const room = &buffer.bytes[buffer.used + sizeof size];
  buffer.used += needed;
  return room;
}

}  // namespace tailgate::etw::stand_in
