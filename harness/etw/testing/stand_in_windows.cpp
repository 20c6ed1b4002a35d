// A stand-in for Windows' event tracing, so that the sink's code can run where there is none. The
// writers fill per-processor buffers in shared memory. A thread of the process that started the
// sessions empties them, and at the end of each its file is written in Windows' format; the buffers
// of a real-time session are emptied by its consumer. Its timings mean nothing.
//
// Here are the functions of sessions; stand_in_provider_windows.cpp has those of providers, and the
// consumer and the kernel session have files of their own.
//
// TAILGATE_STAND_IN_FAULT plants one fault:
//   access_denied         StartTraceW refuses
//   name_taken            a session of that name already runs, until it is stopped
//   enable_fails          EnableTraceEx2 fails
//   no_buffers            a query reports no buffers, like a stub's
//   buffers_full          no buffer is emptied until the session ends
//   stopped               the session has ended before it is stopped
//   buffer_lost           a buffer cannot be written to the file
//   realtime_buffer_lost  a buffer cannot be delivered to the consumer
//   open_fails            OpenTraceW refuses
//   dead_session          three more sessions run: a dead run's, this process's, another program's
//   sessions_taken        other programs have all sessions but two
//   provider_taken        other programs have enabled every provider in all sessions but two
//   callback_lost         each third change of what is enabled is not told to the provider
//   level_wrong           the provider is told the next higher level
//   filter_lost           it is told nothing of the filter data
//   capture_lost          each second request for its state is not told
//   rival_ends_first      disabling a provider in one session disables it in all
// The kernel session (stand_in_kernel_windows.h) supports access_denied, name_taken, no_buffers and
// stopped as well, and
//   kernel_events_lost    the session has lost two events
//   kernel_no_dpc         Windows does not record DPCs
//   stacks_refused        TraceSetInformation refuses
//   slow_calls            two calls of EventWriteTransfer take long, and the records explain it
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "harness/etl/testing/trace_writer.h"
#include "harness/etw/testing/stand_in_kernel_windows.h"
#include "harness/etw/testing/stand_in_provider_windows.h"

namespace {

using namespace tailgate::etw::stand_in;

using StoredRecord = std::pair<std::uint16_t, std::vector<std::uint8_t>>;  // processor, bytes

// A session in the process that started it.
struct LocalSession {
  bool runs = false;
  std::vector<StoredRecord> records;
  std::chrono::steady_clock::time_point last_flush = {};
};
std::array<LocalSession, kSessions> local;
bool stale_stopped = false;
std::jthread writer;  // ends when none of them runs
bool writes = false;  // it has not ended; guarded by Lock

void collect_records(std::uint32_t number, bool all) {
  Session& session = shared().sessions[number];
  empty_buffers(
      number, all,
      [&session] {
        const bool lost = planted("buffer_lost") && session.log_buffers_lost == 0;
        session.log_buffers_lost += lost ? 1 : 0;
        return !lost;
      },
      [number](std::uint16_t processor, const std::uint8_t* record, std::uint32_t bytes) {
        local[number].records.emplace_back(processor,
                                           std::vector<std::uint8_t>(record, record + bytes));
      });
}

// The record's EVENT_HEADER::TimeStamp.
std::int64_t time_of(const std::vector<std::uint8_t>& record) {
  std::int64_t time = 0;
  std::memcpy(&time, &record[0x10], sizeof time);
  return time;
}

void write_file(const Session& session, std::filesystem::path path, const StoredRecord* first,
                const StoredRecord* last) {
  LARGE_INTEGER hz;
  QueryPerformanceFrequency(&hz);
  tailgate::etl::WriterOptions options;
  options.buffer_bytes = session.asked.BufferSize * 1024;
  options.mode = session.asked.LogFileMode & 0xF;
  options.processors = kProcessors;
  options.start_raw = session.started;
  options.clock_hz = hz.QuadPart;
  options.events_lost = session.events_lost;
  options.buffers_lost = session.log_buffers_lost;
  options.session_name = tailgate::narrow(session.name);
  tailgate::etl::TraceWriter writer(options);
  for (const StoredRecord* record = first; record != last; ++record) {
    writer.add(record->first, record->second);
  }
  writer.flush_all();
  const std::vector<std::uint8_t> bytes = writer.file();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

std::size_t bytes_of(const StoredRecord& record) {
  return record.second.size();
}

// A circular file has the newest records that fit into MaximumFileSize. A sequential one with such
// a size ends with it.
void keep_within_limit(std::vector<StoredRecord>& records, std::size_t limit, bool circular) {
  const auto within = [limit, bytes = std::size_t{0}](const StoredRecord& record) mutable {
    bytes += bytes_of(record);
    return bytes <= limit;
  };
  if (circular) {
    const auto oldest = std::find_if_not(records.rbegin(), records.rend(), within);
    records.erase(records.begin(), oldest.base());
  } else {
    records.erase(std::find_if_not(records.begin(), records.end(), within), records.end());
  }
}

// Writes the collected records to one file, or to several of MaximumFileSize each whose numbers
// replace %d.
void write_files(std::uint32_t number, const std::wstring& path) {
  const Session& session = shared().sessions[number];
  std::vector<StoredRecord>& records = local[number].records;
  // Buffers are emptied in the order of their numbers, not in that of their filling.
  std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
    return time_of(a.second) < time_of(b.second);
  });
  const bool many = session.in_mode(EVENT_TRACE_FILE_MODE_NEWFILE);
  const std::size_t limit = std::size_t{session.asked.MaximumFileSize} << 20;
  if (!many && limit > 0) {
    keep_within_limit(records, limit, session.in_mode(EVENT_TRACE_FILE_MODE_CIRCULAR));
  }
  const StoredRecord* const end = records.data() + records.size();
  const StoredRecord* first = records.data();
  for (int file = 1; first != end || file == 1; ++file) {
    const StoredRecord* last = first;
    for (std::size_t bytes = 0; last != end && (!many || bytes < limit); ++last) {
      bytes += bytes_of(*last);
    }
    std::wstring numbered = path;
    if (many) numbered.replace(numbered.find(L"%d"), 2, std::to_wstring(file));
    write_file(session, numbered, first, last);
    first = last;
  }
  records.clear();
}

bool writes_to_file(const Session& session) {
  return !session.in_mode(EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_BUFFERING_MODE);
}

// Ends the session, in the process that started it. The caller holds the lock.
void finish_session(std::uint32_t number) {
  Session& session = shared().sessions[number];
  tell_of_end(number);
  if (writes_to_file(session) && !planted("stopped")) {
    collect_records(number, true);
    write_files(number, session.file);
  }
  local[number].runs = false;
  session.stop_asked = 0;
  session.running = 0;  // set last: another process may wait for the file by it
}

void write_session(std::uint32_t number) {
  const Session& session = shared().sessions[number];
  if (session.stop_asked != 0) return finish_session(number);
  if (planted("buffers_full") || !writes_to_file(session)) return;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::seconds timer(session.asked.FlushTimer);
  const bool flush = timer.count() > 0 && now - local[number].last_flush >= timer;
  if (flush) local[number].last_flush = now;
  collect_records(number, flush);
}

bool any_runs_here() {
  return std::any_of(local.begin(), local.end(), [](const LocalSession& one) { return one.runs; });
}

void write_in_background() {
  while (true) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const Lock lock;
    for (std::uint32_t i = 0; i < kSessions; ++i) {
      if (local[i].runs) write_session(i);
    }
    writes = any_runs_here();
    if (!writes) return;
  }
}

// Fills in what Windows reports, whatever was requested.
void describe(const Session& session, EVENT_TRACE_PROPERTIES* properties) {
  properties->BufferSize = session.asked.BufferSize;
  properties->MinimumBuffers = 2 * kProcessors;
  properties->MaximumBuffers = kBuffers;
  properties->NumberOfBuffers = planted("no_buffers") ? 0 : kBuffers;
  properties->LogFileMode = session.asked.LogFileMode;
  properties->FlushTimer = session.asked.FlushTimer;
  properties->MaximumFileSize = session.asked.MaximumFileSize;
  wcscpy(reinterpret_cast<wchar_t*>(reinterpret_cast<std::uint8_t*>(properties) +
                                    properties->LogFileNameOffset),
         session.file);
  properties->EventsLost = session.events_lost;
  properties->BuffersWritten = session.buffers_written;
  properties->LogBuffersLost = session.log_buffers_lost;
  properties->RealTimeBuffersLost = session.realtime_buffers_lost;
}

// A free place, or kSessions. The kernel session counts like any other, private ones do not.
std::uint32_t place_for(bool is_private) {
  std::uint32_t taken = shared().kernel_clock != 0 ? 1 : 0;
  if (planted("sessions_taken")) taken += kSessions - 2;
  std::uint32_t free = kSessions;
  for (std::uint32_t i = kSessions; i-- > 0;) {
    if (shared().sessions[i].running == 0) {
      free = i;
    } else if (!shared().sessions[i].in_mode(EVENT_TRACE_PRIVATE_LOGGER_MODE)) {
      ++taken;
    }
  }
  return taken < kSessions || is_private ? free : kSessions;
}

void begin_session(std::uint32_t number, const wchar_t* name,
                   const EVENT_TRACE_PROPERTIES* properties) {
  Session& session = shared().sessions[number];
  wcsncpy(session.name, name, kNameUnits - 1);
  wcsncpy(session.file, text_at(properties, properties->LogFileNameOffset), kNameUnits - 1);
  session.asked = *properties;
  session.started = counter();
  session.events_lost = session.log_buffers_lost = session.realtime_buffers_lost = 0;
  session.buffers_written = 0;
  session.enabled.on = 0;
  session.stop_asked = 0;
  session.current = {};
  session.buffer_bytes = std::min<std::uint32_t>(properties->BufferSize * 1024, kBufferBytes);
  ++session.generation;
  for (Buffer& buffer : shared().buffers) {
    if (buffer.session == number) buffer.used = buffer.full = 0;
  }
  local[number] = {.runs = true, .records = {}, .last_flush = std::chrono::steady_clock::now()};
  session.running = 1;
}

// Ends a session, whichever process started it. Returns ControlTraceW's result.
ULONG stop_session(std::uint32_t number) {
  Session& session = shared().sessions[number];
  if (!local[number].runs) {
    session.stop_asked = 1;
    while (session.running != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ERROR_SUCCESS;
  }
  {
    const Lock lock;
    finish_session(number);
  }
  if (!any_runs_here()) writer = {};  // waits for its end
  return planted("stopped") ? kInstanceNotFound : ERROR_SUCCESS;
}

// The sessions that QueryAllTracesW lists under dead_session, until they are stopped. No process
// has the first one's pid.
std::vector<std::wstring>& others() {
  static std::vector<std::wstring> names = {
      L"tailgate-2000000000-kernel",
      L"tailgate-" + std::to_wstring(GetCurrentProcessId()) + L"-other", L"NT Kernel Logger"};
  return names;
}

std::vector<std::wstring> all_names() {
  std::vector<std::wstring> names;
  if (planted("dead_session")) names = others();
  const Lock lock;
  for (const Session& session : shared().sessions) {
    if (session.running != 0) names.emplace_back(session.name);
  }
  return names;
}

}  // namespace

extern "C" {

__declspec(dllexport) ULONG WINAPI
    StartTraceW(TRACEHANDLE* handle, LPCWSTR name, EVENT_TRACE_PROPERTIES* properties) {
  if (planted("access_denied")) return ERROR_ACCESS_DENIED;
  const bool taken = planted("name_taken") && !stale_stopped;
  if (!taken && (properties->LogFileMode & kSystemLogger) != 0) {
    return start_kernel(name, properties, handle);
  }
  const bool is_private = (properties->LogFileMode & EVENT_TRACE_PRIVATE_LOGGER_MODE) != 0;
  if (is_private && !registered_here(properties->Wnode.Guid)) return ERROR_INVALID_PARAMETER;
  const Lock lock;
  if (taken || session_named(name) != kSessions) return ERROR_ALREADY_EXISTS;
  const std::uint32_t place = place_for(is_private);
  if (place == kSessions) return ERROR_NO_SYSTEM_RESOURCES;
  begin_session(place, name, properties);
  if (!std::exchange(writes, true)) writer = std::jthread(write_in_background);
  *handle = handle_of(place);
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI ControlTraceW(TRACEHANDLE handle, LPCWSTR name,
                                                 EVENT_TRACE_PROPERTIES* properties, ULONG code) {
  if (handle == 0 && planted("name_taken") && code == EVENT_TRACE_CONTROL_STOP) {
    stale_stopped = true;
    return ERROR_SUCCESS;
  }
  if (handle == 0 && planted("dead_session") && code == EVENT_TRACE_CONTROL_STOP &&
      std::erase(others(), name) != 0) {
    return ERROR_SUCCESS;
  }
  if (is_kernel(handle, name)) return control_kernel(handle, name, properties, code);
  const std::uint32_t number = handle != 0 ? session_of(handle) : session_named(name);
  if (number == kSessions) return kInstanceNotFound;
  const Session& session = shared().sessions[number];
  if (code == EVENT_TRACE_CONTROL_FLUSH) {
    const Lock lock;
    collect_records(number, true);
    const wchar_t* file = text_at(properties, properties->LogFileNameOffset);
    if (session.in_mode(EVENT_TRACE_BUFFERING_MODE)) write_files(number, file);
  }
  if (code == EVENT_TRACE_CONTROL_STOP) {
    const ULONG error = stop_session(number);
    if (error != ERROR_SUCCESS) return error;
  }
  describe(session, properties);
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI
    TraceSetInformation(TRACEHANDLE handle, TRACE_INFO_CLASS kind, void* information, ULONG bytes) {
  if (kind == TraceSampledProfileIntervalInfo && handle == 0) {
    if (bytes != sizeof(TRACE_PROFILE_INTERVAL)) return ERROR_BAD_LENGTH;
    return set_profile_interval(*static_cast<const TRACE_PROFILE_INTERVAL*>(information));
  }
  if (!is_kernel(handle, L"") || kind != TraceStackTracingInfo) return ERROR_INVALID_PARAMETER;
  return set_kernel_stacks(handle, static_cast<const CLASSIC_EVENT_ID*>(information), bytes);
}

__declspec(dllexport) ULONG WINAPI TraceQueryInformation(TRACEHANDLE handle, TRACE_INFO_CLASS kind,
                                                         void* information, ULONG bytes, ULONG*) {
  if (kind != TraceSampledProfileIntervalInfo || handle != 0) return ERROR_INVALID_PARAMETER;
  if (bytes != sizeof(TRACE_PROFILE_INTERVAL)) return ERROR_BAD_LENGTH;
  return get_profile_interval(*static_cast<TRACE_PROFILE_INTERVAL*>(information));
}

__declspec(dllexport) ULONG WINAPI
    QueryAllTracesW(EVENT_TRACE_PROPERTIES** sessions, ULONG room, ULONG* count) {
  const std::vector<std::wstring> names = all_names();
  *count = static_cast<ULONG>(names.size());
  for (ULONG i = 0; i < std::min(*count, room); ++i) {
    wcscpy(reinterpret_cast<wchar_t*>(reinterpret_cast<std::uint8_t*>(sessions[i]) +
                                      sessions[i]->LoggerNameOffset),
           names[i].c_str());
  }
  return *count > room ? ERROR_MORE_DATA : ERROR_SUCCESS;
}

}  // extern "C"
