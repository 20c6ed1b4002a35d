// A library that stands in for Windows' event tracing, so that the sink's own code can run where
// there is none. Sessions live in memory that all processes share: whoever writes fills
// per-processor buffers, a thread of the process that started the session empties them, and at its
// end writes the file in the format that Windows writes. Its timings mean nothing.
//
// TAILGATE_STAND_IN_FAULT plants one fault:
//   access_denied    StartTraceW refuses
//   name_taken       a session of that name runs already, until it is stopped
//   enable_fails     EnableTraceEx2 fails
//   no_buffers       a query shows no buffers, as a stub's does
//   buffers_full     no buffer is emptied until the session ends
//   stopped          the session is gone when it is to be stopped
//   buffer_lost      a buffer cannot be written to the file
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string_view>
#include <thread>

#include "harness/base/api_windows.h"

// These headers declare their functions as defined here, rather than imported.
#define _EVNT_SOURCE_
#define _WMI_SOURCE_
// After windows.h, whose types they need.
#include <evntprov.h>
#include <evntrace.h>

#include "providers/etw/etl/testing/trace_writer.h"

namespace {

using tailgate::etl::EventRecord;

constexpr std::size_t kBufferBytes = 128 * 1024;
constexpr std::uint32_t kBuffers = 64;
constexpr std::uint32_t kProcessors = 2;
constexpr TRACEHANDLE kSessionHandle = 7;
constexpr ULONG kInstanceNotFound = 4201;  // ERROR_WMI_INSTANCE_NOT_FOUND

struct Buffer {
  std::uint32_t used;
  std::uint32_t full;
  std::uint32_t processor;
  std::array<std::uint8_t, kBufferBytes> bytes;  // records, each behind its u32 size
};

// Zero at first, which is a valid value of every field.
struct Shared {
  std::atomic<std::uint32_t> locked;
  std::atomic<std::uint32_t> running;
  std::atomic<std::uint32_t> enabled;
  GUID provider;
  UCHAR level;
  ULONGLONG keyword;
  std::uint32_t buffer_bytes;
  std::uint32_t events_lost;
  std::array<std::uint32_t, kProcessors> current;  // index + 1 of the buffer being filled; 0: none
  std::array<Buffer, kBuffers> buffers;
};

bool planted(std::string_view fault) {
  const char* set = std::getenv("TAILGATE_STAND_IN_FAULT");
  return set != nullptr && fault == set;
}

Shared& shared() {
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

std::int64_t counter() {
  LARGE_INTEGER now;
  QueryPerformanceCounter(&now);
  return now.QuadPart;
}

// The session as the process that started it knows it.
struct Session {
  std::wstring name;
  std::wstring file;
  EVENT_TRACE_PROPERTIES properties = {};
  std::int64_t started = 0;
  std::vector<std::pair<std::uint16_t, std::vector<std::uint8_t>>> records;
  std::uint32_t buffers_written = 0;
  std::uint32_t buffers_lost = 0;
  bool stale_stopped = false;
  std::jthread writer;
};
Session session;

// Takes the records out of full buffers, or of all. The lock is held.
void empty_buffers(bool all) {
  for (Buffer& buffer : shared().buffers) {
    if (buffer.used == 0 || (buffer.full == 0 && !all)) continue;
    const bool lost = planted("buffer_lost") && session.buffers_lost == 0;
    session.buffers_lost += lost ? 1 : 0;
    for (std::uint32_t at = 0; at < buffer.used && !lost;) {
      std::uint32_t size = 0;
      std::memcpy(&size, &buffer.bytes[at], sizeof size);
      const std::uint8_t* record = &buffer.bytes[at + sizeof size];
      session.records.emplace_back(static_cast<std::uint16_t>(buffer.processor),
                                   std::vector<std::uint8_t>(record, record + size));
      at += static_cast<std::uint32_t>(sizeof size) + size;
    }
    ++session.buffers_written;
    buffer.used = buffer.full = 0;
  }
}

void write_in_background(const std::stop_token& stop) {
  auto last_flush = std::chrono::steady_clock::now();
  const std::chrono::seconds timer(session.properties.FlushTimer);
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (planted("buffers_full")) continue;
    const auto now = std::chrono::steady_clock::now();
    const bool flush = timer.count() > 0 && now - last_flush >= timer;
    if (flush) last_flush = now;
    const Lock lock;
    empty_buffers(flush);
  }
}

// EVENT_HEADER::TimeStamp
std::int64_t time_of(const std::vector<std::uint8_t>& record) {
  std::int64_t time = 0;
  std::memcpy(&time, &record[0x10], sizeof time);
  return time;
}

void write_file() {
  LARGE_INTEGER hz;
  QueryPerformanceFrequency(&hz);
  tailgate::etl::WriterOptions options;
  options.buffer_bytes = session.properties.BufferSize * 1024;
  options.mode = session.properties.LogFileMode & 0xF;
  options.processors = kProcessors;
  options.start_raw = session.started;
  options.clock_hz = hz.QuadPart;
  options.events_lost = shared().events_lost;
  options.buffers_lost = session.buffers_lost;
  options.session_name = tailgate::narrow(session.name);
  // Buffers are emptied in the order of their numbers, not of their filling.
  std::stable_sort(
      session.records.begin(), session.records.end(),
      [](const auto& a, const auto& b) { return time_of(a.second) < time_of(b.second); });
  tailgate::etl::TraceWriter writer(options);
  for (const auto& [processor, record] : session.records) writer.add(processor, record);
  writer.flush_all();
  const std::vector<std::uint8_t> bytes = writer.file();
  std::ofstream file(std::filesystem::path(session.file), std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// What Windows fills in, whatever it was asked for.
void describe(EVENT_TRACE_PROPERTIES* properties) {
  properties->BufferSize = session.properties.BufferSize;
  properties->MinimumBuffers = 2 * kProcessors;
  properties->MaximumBuffers = kBuffers;
  properties->NumberOfBuffers = planted("no_buffers") ? 0 : kBuffers;
  properties->LogFileMode = session.properties.LogFileMode;
  properties->FlushTimer = session.properties.FlushTimer;
  properties->MaximumFileSize = session.properties.MaximumFileSize;
  properties->EventsLost = shared().events_lost;
  properties->BuffersWritten = session.buffers_written;
  properties->LogBuffersLost = session.buffers_lost;
}

// Room for size bytes in the processor's buffer, or nullptr. The lock is held.
std::uint8_t* room_for(std::uint32_t processor, std::uint32_t size) {
  Shared& memory = shared();
  const std::uint32_t needed = size + static_cast<std::uint32_t>(sizeof size);
  std::uint32_t& current = memory.current[processor];
  if (current != 0) {
    Buffer& buffer = memory.buffers[current - 1];
    if (buffer.used + needed > memory.buffer_bytes) {
      buffer.full = 1;
      current = 0;
    }
  }
  for (std::uint32_t i = 0; current == 0 && i < kBuffers; ++i) {
    const bool free = memory.buffers[i].used == 0 && memory.current[1 - processor] != i + 1;
    if (free) current = i + 1;
  }
  if (current == 0) return nullptr;
  Buffer& buffer = memory.buffers[current - 1];
  buffer.processor = processor;
  std::memcpy(&buffer.bytes[buffer.used], &size, sizeof size);
  std::uint8_t* const room = &buffer.bytes[buffer.used + sizeof size];
  buffer.used += needed;
  return room;
}

struct Registration {
  GUID provider;
  std::vector<std::uint8_t> traits;
  std::thread teller;
};

tailgate::etl::Guid portable(const GUID& guid) {
  tailgate::etl::Guid result;
  std::memcpy(result.bytes.data(), &guid, sizeof guid);
  return result;
}

}  // namespace

extern "C" {

__declspec(dllexport) ULONG WINAPI
    StartTraceW(TRACEHANDLE* handle, LPCWSTR name, EVENT_TRACE_PROPERTIES* properties) {
  if (planted("access_denied")) return ERROR_ACCESS_DENIED;
  const bool taken = planted("name_taken") && !session.stale_stopped;
  if (taken || shared().running != 0) return ERROR_ALREADY_EXISTS;
  const Lock lock;
  session.name = name;
  session.file = reinterpret_cast<const wchar_t*>(
      reinterpret_cast<const std::uint8_t*>(properties) + properties->LogFileNameOffset);
  session.properties = *properties;
  session.started = counter();
  session.records.clear();
  session.buffers_written = session.buffers_lost = 0;
  Shared& memory = shared();
  memory.events_lost = 0;
  memory.enabled = 0;
  memory.current = {};
  memory.buffer_bytes = std::min<std::uint32_t>(properties->BufferSize * 1024, kBufferBytes);
  for (Buffer& buffer : memory.buffers) buffer.used = buffer.full = 0;
  session.writer = std::jthread(write_in_background);
  memory.running = 1;
  *handle = kSessionHandle;
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI
    ControlTraceW(TRACEHANDLE handle, LPCWSTR, EVENT_TRACE_PROPERTIES* properties, ULONG code) {
  if (handle == 0 && planted("name_taken") && code == EVENT_TRACE_CONTROL_STOP) {
    session.stale_stopped = true;
    return ERROR_SUCCESS;
  }
  if (handle != kSessionHandle || shared().running == 0) return kInstanceNotFound;
  if (code == EVENT_TRACE_CONTROL_STOP) {
    session.writer = {};
    const Lock lock;
    shared().running = 0;
    shared().enabled = 0;
    if (planted("stopped")) return kInstanceNotFound;
    empty_buffers(true);
    write_file();
  }
  describe(properties);
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI QueryAllTracesW(EVENT_TRACE_PROPERTIES**, ULONG, ULONG* count) {
  *count = 0;
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI
    EnableTraceEx2(TRACEHANDLE, LPCGUID provider, ULONG, UCHAR level, ULONGLONG keyword, ULONGLONG,
                   ULONG, ENABLE_TRACE_PARAMETERS*) {
  if (planted("enable_fails")) return ERROR_INVALID_PARAMETER;
  Shared& memory = shared();
  memory.provider = *provider;
  memory.level = level;
  memory.keyword = keyword;
  memory.enabled = 1;
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI
    EventRegister(LPCGUID provider, PENABLECALLBACK callback, void* context, REGHANDLE* handle) {
  auto* const registration = new Registration{*provider, {}, {}};
  // As on Windows, the callback comes on another thread, some time later.
  registration->teller = std::thread([registration, callback, context] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const Shared& memory = shared();
    if (memory.enabled == 0 ||
        std::memcmp(&memory.provider, &registration->provider, sizeof(GUID)) != 0) {
      return;
    }
    callback(&registration->provider, 1, memory.level, memory.keyword, 0, nullptr, context);
  });
  *handle = reinterpret_cast<REGHANDLE>(registration);
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI EventUnregister(REGHANDLE handle) {
  auto* const registration = reinterpret_cast<Registration*>(handle);
  registration->teller.join();
  delete registration;
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI
    EventSetInformation(REGHANDLE handle, EVENT_INFO_CLASS information_class, void* data,
                        ULONG bytes) {
  constexpr int kSetTraits = 2;
  if (static_cast<int>(information_class) != kSetTraits) return ERROR_INVALID_PARAMETER;
  const auto* first = static_cast<const std::uint8_t*>(data);
  reinterpret_cast<Registration*>(handle)->traits.assign(first, first + bytes);
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI
    EventWriteTransfer(REGHANDLE handle, const EVENT_DESCRIPTOR* descriptor, LPCGUID, LPCGUID,
                       ULONG count, EVENT_DATA_DESCRIPTOR* pieces) {
  Shared& memory = shared();
  const auto* registration = reinterpret_cast<const Registration*>(handle);
  if (memory.enabled == 0 || descriptor->Level > memory.level) return ERROR_SUCCESS;
  EventRecord event;
  event.provider = portable(registration->provider);
  event.level = descriptor->Level;
  event.keyword = descriptor->Keyword;
  event.thread = GetCurrentThreadId();
  event.process = GetCurrentProcessId();
  event.flags = 1;  // EVENT_HEADER_FLAG_EXTENDED_INFO
  for (ULONG i = 0; i < count; ++i) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(pieces[i].Ptr);
    const std::vector<std::uint8_t> bytes(first, first + pieces[i].Size);
    // Metadata travels in extended items: 11 and 12 are EVENT_SCHEMA_TL and PROV_TRAITS.
    if (pieces[i].Reserved == 1) event.extended.emplace_back(11, bytes);
    if (pieces[i].Reserved == 2) event.extended.emplace_back(12, bytes);
    if (pieces[i].Reserved == 0) {
      event.payload.insert(event.payload.end(), bytes.begin(), bytes.end());
    }
  }
  // Under the lock, so that the times within a buffer ascend.
  const Lock lock;
  event.time = counter();
  const std::vector<std::uint8_t> record = event_record(event);
  if (record.size() > 0xFFFF) return ERROR_ARITHMETIC_OVERFLOW;
  if (record.size() + 0x48 > memory.buffer_bytes) return ERROR_MORE_DATA;
  if (memory.running == 0) return ERROR_SUCCESS;
  std::uint8_t* const room = room_for(GetCurrentProcessorNumber() % kProcessors,
                                      static_cast<std::uint32_t>(record.size()));
  if (room == nullptr) {
    ++memory.events_lost;
    return ERROR_NOT_ENOUGH_MEMORY;
  }
  std::memcpy(room, record.data(), record.size());
  return ERROR_SUCCESS;
}

}  // extern "C"
