// The state of the library that stands in for Windows' event tracing: the sessions, which all
// processes share. The writers fill the buffers of each session that wants their events.
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

// Microsoft's documentation of StartTrace: "defaults to 64 on most systems"; of EnableTraceEx2: "Up
// to eight trace sessions can enable and receive events from the same modern provider". A session
// beyond these gets ERROR_NO_SYSTEM_RESOURCES.
inline constexpr std::uint32_t kSessions = 64;
inline constexpr std::uint32_t kSessionsOfProvider = 8;

inline constexpr std::size_t kBufferBytes = 128 * 1024;
inline constexpr std::uint32_t kBuffers = 64;  // of a session
inline constexpr std::uint32_t kAllBuffers = 256;
inline constexpr std::uint32_t kProcessors = 2;
inline constexpr std::size_t kNameUnits = 1024;
inline constexpr std::uint32_t kRegistrations = 128;
inline constexpr std::uint32_t kCommands = 64;  // kept until each process has taken them
inline constexpr std::uint32_t kFilterBytes = 64;

struct Buffer {
  std::uint32_t session;  // the one whose records it has
  std::uint32_t used;
  std::uint32_t full;
  std::uint32_t processor;
  std::uint64_t begun_before;                    // number of buffers that this session begun before
  std::array<std::uint8_t, kBufferBytes> bytes;  // records, each preceded by its u32 size
};

// The data that a session's controller has for the provider's callback.
struct Filter {
  std::uint32_t bytes;
  std::array<std::uint8_t, kFilterBytes> data;
};

// What a session wants of its provider. It has one.
struct Enabled {
  std::uint32_t on;
  GUID provider;
  UCHAR level;  // 0: all
  ULONGLONG any, all;
  ULONG property;
  wchar_t program[kNameUnits];  // the only one whose provider is called back; empty: all
  Filter filter;
};

struct Session {
  std::atomic<std::uint32_t> running;
  std::atomic<std::uint32_t> stop_asked;  // by a process other than the session's
  std::uint32_t generation;               // number of sessions that had this place before
  Enabled enabled;
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

  bool in_mode(ULONG bits) const { return (asked.LogFileMode & bits) != 0; }
};

// A provider of some process.
struct Registration {
  std::atomic<std::uint32_t> process;  // 0: the place is free
  GUID provider;
  std::atomic<std::uint64_t> told;  // commands that its process has taken
};

// What EnableTraceEx2 was called with.
struct Command {
  std::uint32_t session;
  ULONG code;
  UCHAR level;
  ULONGLONG any, all;
  GUID provider;
  Filter filter;
};

// When a load thread was off its processor, on the kernel session's clock.
struct Gap {
  std::int64_t begin;
  std::int64_t end;
};

// The mapping starts as zeros, a valid value of every field.
struct Shared {
  std::atomic<std::uint32_t> locked;
  std::array<Session, kSessions> sessions;
  std::array<Buffer, kAllBuffers> buffers;
  std::array<Registration, kRegistrations> registrations;
  std::atomic<std::uint64_t> commands;  // so far
  std::array<Command, kCommands> last_commands;
  // For the kernel session (stand_in_kernel_windows.h).
  std::atomic<std::uint32_t> kernel_clock;   // ClientContext of the running session; 0: none runs
  std::atomic<std::uint32_t> kernel_events;  // written to other sessions since its start
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

inline bool same(const GUID& one, const GUID& other) {
  return std::memcmp(&one, &other, sizeof one) == 0;
}

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

// The place of a running session in Shared::sessions; kSessions: there is none.
std::uint32_t session_named(const wchar_t* name);
std::uint32_t session_of(TRACEHANDLE handle);

TRACEHANDLE handle_of(std::uint32_t session);

// Calls take(processor, record, bytes) with the records of the session's full buffers, or of all,
// and empties the buffers. keep() returns false to drop a buffer's records. The caller holds the
// lock.
template <class Keep, class Take>
void empty_buffers(std::uint32_t session, bool all, Keep keep, Take take) {
  for (Buffer& buffer : shared().buffers) {
    if (buffer.used == 0 || buffer.session != session || (buffer.full == 0 && !all)) continue;
    const bool kept = keep();
    for (std::uint32_t at = 0; at < buffer.used && kept;) {
      std::uint32_t size = 0;
      std::memcpy(&size, &buffer.bytes[at], sizeof size);
      take(static_cast<std::uint16_t>(buffer.processor), &buffer.bytes[at + sizeof size], size);
      at += static_cast<std::uint32_t>(sizeof size) + size;
    }
    ++shared().sessions[session].buffers_written;
    buffer.used = buffer.full = 0;
  }
}

// Returns room for `size` bytes in the session's buffer of the processor, or nullptr. The caller
// holds the lock.
std::uint8_t* room_for(std::uint32_t session, std::uint32_t processor, std::uint32_t size);

}  // namespace tailgate::etw::stand_in
