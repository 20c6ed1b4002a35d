// The state of the library that stands in for Windows' event tracing: one session in memory that
// all processes share. The writers fill its buffers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "harness/os/api_windows.h"

// Makes these headers declare their functions as defined here, not as imported.
#define _EVNT_SOURCE_
#define _WMI_SOURCE_
// Include these after windows.h, whose types they need.
#include <evntcons.h>
#include <evntprov.h>
#include <evntrace.h>

namespace tailgate::etw::stand_in {

inline constexpr std::size_t kBufferBytes = 128 * 1024;
inline constexpr std::uint32_t kBuffers = 64;
inline constexpr std::uint32_t kProcessors = 2;
inline constexpr std::size_t kNameUnits = 1024;

struct Buffer {
  std::uint32_t used;
  std::uint32_t full;
  std::uint32_t processor;
  std::uint64_t begun_before;                    // number of buffers begun before this one
  std::array<std::uint8_t, kBufferBytes> bytes;  // records, each preceded by its u32 size
};

// When a load thread was off its processor, on the kernel session's clock.
struct Gap {
  std::int64_t begin;
  std::int64_t end;
};

// The mapping starts as zeros, a valid value of every field.
struct Shared {
  std::atomic<std::uint32_t> locked;
  std::atomic<std::uint32_t> running;
  std::atomic<std::uint32_t> stop_asked;  // by a process other than the session's
  std::atomic<std::uint32_t> enabled;
  GUID provider;
  UCHAR level;
  ULONGLONG keyword;
  wchar_t program[kNameUnits];  // the only one whose provider is called back; empty: all
  wchar_t name[kNameUnits];
  wchar_t file[kNameUnits];
  EVENT_TRACE_PROPERTIES asked;
  std::int64_t started;
  std::uint32_t buffer_bytes;
  std::uint32_t events_lost;
  std::uint32_t log_buffers_lost;
  std::uint32_t realtime_buffers_lost;
  std::uint32_t buffers_written;
  std::uint64_t buffers_begun;
  std::array<std::uint32_t, kProcessors> current;  // index + 1 of the buffer being filled; 0: none
  std::array<Buffer, kBuffers> buffers;
  // For the kernel session (stand_in_kernel_windows.h).
  std::atomic<std::uint32_t> kernel_clock;   // ClientContext of the running session; 0: none runs
  std::atomic<std::uint32_t> kernel_events;  // written to the other session since its start
  std::uint32_t load_thread;                 // the thread that was off its processor, or 0
  Gap slept;
  Gap preempted;
};

// Whether TAILGATE_STAND_IN_FAULT plants this fault.
inline bool planted(std::string_view fault) {
  const char* set = std::getenv("TAILGATE_STAND_IN_FAULT");
  return set != nullptr && fault == set;
}

inline Shared& shared() {
  static Shared* const memory = [] {
    const HANDLE section = CreateFileMappingW(INVALID_HANDLE_VALUE, nullptr, PAGE_READWRITE, 0,
                                              sizeof(Shared), L"Local\\tailgate-etw-stand-in");
    return static_cast<Shared*>(MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0));
  }();
  return *memory;
}

// A spin lock that works across processes.
class Lock {
 public:
  Lock() {
    while (shared().locked.exchange(1, std::memory_order_acquire) != 0) std::this_thread::yield();
  }
  ~Lock() { shared().locked.store(0, std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

// ControlTraceW's error for a session that does not exist.
inline constexpr ULONG kInstanceNotFound = 4201;  // ERROR_WMI_INSTANCE_NOT_FOUND

// The name at this offset of the properties.
inline const wchar_t* text_at(const EVENT_TRACE_PROPERTIES* properties, ULONG offset) {
  return reinterpret_cast<const wchar_t*>(reinterpret_cast<const std::uint8_t*>(properties) +
                                          offset);
}

inline std::int64_t counter() {
  LARGE_INTEGER now;
  QueryPerformanceCounter(&now);
  return now.QuadPart;
}

inline bool in_mode(ULONG bits) {
  return (shared().asked.LogFileMode & bits) != 0;
}

// Calls take(processor, record, bytes) with the records of the full buffers, or of all, and empties
// the buffers. keep() returns false to drop a buffer's records. The caller holds the lock.
template <class Keep, class Take>
void empty_buffers(bool all, Keep keep, Take take) {
  for (Buffer& buffer : shared().buffers) {
    if (buffer.used == 0 || (buffer.full == 0 && !all)) continue;
    const bool kept = keep();
    for (std::uint32_t at = 0; at < buffer.used && kept;) {
      std::uint32_t size = 0;
      std::memcpy(&size, &buffer.bytes[at], sizeof size);
      take(static_cast<std::uint16_t>(buffer.processor), &buffer.bytes[at + sizeof size], size);
      at += static_cast<std::uint32_t>(sizeof size) + size;
    }
    ++shared().buffers_written;
    buffer.used = buffer.full = 0;
  }
}

// Returns room for `size` bytes in the processor's buffer, or nullptr. The caller holds the lock.
std::uint8_t* room_for(std::uint32_t processor, std::uint32_t size);

}  // namespace tailgate::etw::stand_in
