// What the library that stands in for Windows' event tracing keeps: one session, in memory that all
// processes share, its buffers filled by whoever writes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "harness/base/api_windows.h"

// These headers declare their functions as defined here, rather than imported.
#define _EVNT_SOURCE_
#define _WMI_SOURCE_
// After windows.h, whose types they need.
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
  std::uint64_t turn;                            // how many buffers had been begun before it
  std::array<std::uint8_t, kBufferBytes> bytes;  // records, each behind its u32 size
};

// While a load thread was not on a processor, by the kernel session's clock.
struct Away {
  std::int64_t begin;
  std::int64_t end;
};

// Zero at first, which is a valid value of every field.
struct Shared {
  std::atomic<std::uint32_t> locked;
  std::atomic<std::uint32_t> running;
  std::atomic<std::uint32_t> stop_asked;  // by another process than the session's
  std::atomic<std::uint32_t> enabled;
  GUID provider;
  UCHAR level;
  ULONGLONG keyword;
  wchar_t name[kNameUnits];
  wchar_t file[kNameUnits];
  EVENT_TRACE_PROPERTIES asked;
  std::int64_t started;
  std::uint32_t buffer_bytes;
  std::uint32_t events_lost;
  std::uint32_t log_buffers_lost;
  std::uint32_t realtime_buffers_lost;
  std::uint32_t buffers_written;
  std::uint64_t turns;
  std::array<std::uint32_t, kProcessors> current;  // index + 1 of the buffer being filled; 0: none
  std::array<Buffer, kBuffers> buffers;
  // Of the kernel's session (stand_in_kernel_windows.h).
  std::atomic<std::uint32_t> kernel_clock;   // ClientContext of the one that runs; 0: none does
  std::atomic<std::uint32_t> kernel_events;  // written to the other session since it began
  std::uint32_t load_thread;                 // that was away, or 0
  Away slept;
  Away preempted;
};

// Whether TAILGATE_STAND_IN_FAULT plants this one.
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

// Between processes, too.
class Lock {
 public:
  Lock() {
    while (shared().locked.exchange(1, std::memory_order_acquire) != 0) std::this_thread::yield();
  }
  ~Lock() { shared().locked.store(0, std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

// From ControlTraceW for a session that is not there.
inline constexpr ULONG kInstanceNotFound = 4201;  // ERROR_WMI_INSTANCE_NOT_FOUND

// A name behind the properties.
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

// Hands over the records of full buffers, or of all, and empties them: take(processor, record,
// bytes). keep(): false drops a buffer's records. The lock is held.
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

// Room for size bytes in the processor's buffer, or nullptr. The lock is held.
std::uint8_t* room_for(std::uint32_t processor, std::uint32_t size);

}  // namespace tailgate::etw::stand_in
