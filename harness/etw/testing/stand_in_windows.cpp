// A stand-in for Windows' event tracing, so that the sink's code can run where there is none. The
// writers fill per-processor buffers in shared memory. A thread of the process that started the
// session empties them, and at the end the file is written in Windows' format; the buffers of a
// real-time session are emptied by its consumer. Its timings mean nothing.
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
// The kernel session (stand_in_kernel_windows.h) supports access_denied, name_taken, no_buffers and
// stopped as well, and
//   kernel_events_lost    the session has lost two events
//   kernel_no_dpc         Windows does not record DPCs
//   slow_calls            two calls of EventWriteTransfer take long, and the records explain it
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "harness/etl/testing/trace_writer.h"
#include "harness/etw/testing/stand_in_kernel_windows.h"
#include "harness/etw/testing/stand_in_memory_windows.h"

namespace {

using namespace tailgate::etw::stand_in;
using tailgate::etl::EventRecord;

constexpr TRACEHANDLE kSessionHandle = 7;

using StoredRecord = std::pair<std::uint16_t, std::vector<std::uint8_t>>;  // processor, bytes

// State of the session in the process that started it.
struct Session {
  std::vector<StoredRecord> records;
  bool stale_stopped = false;
  std::jthread writer;
};
Session session;

void collect_records(bool all) {
  empty_buffers(
      all,
      [] {
        const bool lost = planted("buffer_lost") && shared().log_buffers_lost == 0;
        shared().log_buffers_lost += lost ? 1 : 0;
        return !lost;
      },
      [](std::uint16_t processor, const std::uint8_t* record, std::uint32_t bytes) {
        session.records.emplace_back(processor, std::vector<std::uint8_t>(record, record + bytes));
      });
}

// The record's EVENT_HEADER::TimeStamp.
std::int64_t time_of(const std::vector<std::uint8_t>& record) {
  std::int64_t time = 0;
  std::memcpy(&time, &record[0x10], sizeof time);
  return time;
}

void write_file(std::filesystem::path path, const StoredRecord* first, const StoredRecord* last) {
  LARGE_INTEGER hz;
  QueryPerformanceFrequency(&hz);
  const Shared& memory = shared();
  tailgate::etl::WriterOptions options;
  options.buffer_bytes = memory.asked.BufferSize * 1024;
  options.mode = memory.asked.LogFileMode & 0xF;
  options.processors = kProcessors;
  options.start_raw = memory.started;
  options.clock_hz = hz.QuadPart;
  options.events_lost = memory.events_lost;
  options.buffers_lost = memory.log_buffers_lost;
  options.session_name = tailgate::narrow(memory.name);
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
void keep_within_limit(std::vector<StoredRecord>& records, std::size_t limit) {
  const auto within = [limit, bytes = std::size_t{0}](const StoredRecord& record) mutable {
    bytes += bytes_of(record);
    return bytes <= limit;
  };
  if (in_mode(EVENT_TRACE_FILE_MODE_CIRCULAR)) {
    const auto oldest = std::find_if_not(records.rbegin(), records.rend(), within);
    records.erase(records.begin(), oldest.base());
  } else {
    records.erase(std::find_if_not(records.begin(), records.end(), within), records.end());
  }
}

// Writes the collected records to one file, or to several of MaximumFileSize each whose numbers
// replace %d.
void write_files(const std::wstring& path) {
  std::vector<StoredRecord>& records = session.records;
  // Buffers are emptied in the order of their numbers, not in that of their filling.
  std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
    return time_of(a.second) < time_of(b.second);
  });
  const bool many = in_mode(EVENT_TRACE_FILE_MODE_NEWFILE);
  const std::size_t limit = std::size_t{shared().asked.MaximumFileSize} << 20;
  if (!many && limit > 0) keep_within_limit(records, limit);
  const StoredRecord* const end = records.data() + records.size();
  const StoredRecord* first = records.data();
  for (int number = 1; first != end || number == 1; ++number) {
    const StoredRecord* last = first;
    for (std::size_t bytes = 0; last != end && (!many || bytes < limit); ++last) {
      bytes += bytes_of(*last);
    }
    std::wstring numbered = path;
    if (many) numbered.replace(numbered.find(L"%d"), 2, std::to_wstring(number));
    write_file(numbered, first, last);
    first = last;
  }
  records.clear();
}

// Ends the session, in any process. The caller holds the lock.
void finish_session() {
  Shared& memory = shared();
  memory.enabled = 0;
  const bool to_file = !in_mode(EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_BUFFERING_MODE);
  if (to_file && !planted("stopped")) {
    collect_records(true);
    write_files(memory.file);
  }
  memory.running = 0;  // set last: another process may wait for the file by it
}

void write_in_background(const std::stop_token& stop) {
  auto last_flush = std::chrono::steady_clock::now();
  const std::chrono::seconds timer(shared().asked.FlushTimer);
  const bool to_file = !in_mode(EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_BUFFERING_MODE);
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const Lock lock;
    if (shared().stop_asked != 0) {
      finish_session();
      shared().stop_asked = 0;
      return;
    }
    if (planted("buffers_full") || !to_file) continue;
    const auto now = std::chrono::steady_clock::now();
    const bool flush = timer.count() > 0 && now - last_flush >= timer;
    if (flush) last_flush = now;
    collect_records(flush);
  }
}

// Fills in what Windows reports, whatever was requested.
void describe(EVENT_TRACE_PROPERTIES* properties) {
  const Shared& memory = shared();
  properties->BufferSize = memory.asked.BufferSize;
  properties->MinimumBuffers = 2 * kProcessors;
  properties->MaximumBuffers = kBuffers;
  properties->NumberOfBuffers = planted("no_buffers") ? 0 : kBuffers;
  properties->LogFileMode = memory.asked.LogFileMode;
  properties->FlushTimer = memory.asked.FlushTimer;
  properties->MaximumFileSize = memory.asked.MaximumFileSize;
  wcscpy(reinterpret_cast<wchar_t*>(reinterpret_cast<std::uint8_t*>(properties) +
                                    properties->LogFileNameOffset),
         memory.file);
  properties->EventsLost = memory.events_lost;
  properties->BuffersWritten = memory.buffers_written;
  properties->LogBuffersLost = memory.log_buffers_lost;
  properties->RealTimeBuffersLost = memory.realtime_buffers_lost;
}

struct Registration {
  GUID provider;
  PENABLECALLBACK callback;
  void* context;
  std::vector<std::uint8_t> traits;
  std::vector<std::jthread> tellers;
};
std::mutex registrations_mutex;
std::vector<Registration*> registrations;  // registrations of this process

bool is_filtered_out() {
  if (shared().program[0] == 0) return false;
  wchar_t path[kNameUnits] = {};
  GetModuleFileNameW(nullptr, path, kNameUnits - 1);
  return std::filesystem::path(path).filename() != shared().program;
}

// Remembers the only program whose providers are enabled.
void keep_filter(const ENABLE_TRACE_PARAMETERS* parameters) {
  constexpr ULONG kExecutableName = 0x80000008;  // EVENT_FILTER_TYPE_EXECUTABLE_NAME
  shared().program[0] = 0;
  if (parameters == nullptr || parameters->FilterDescCount == 0) return;
  const EVENT_FILTER_DESCRIPTOR& filter = *parameters->EnableFilterDesc;
  if (filter.Type != kExecutableName || filter.Size > sizeof shared().program) return;
  std::memcpy(shared().program, reinterpret_cast<const void*>(filter.Ptr), filter.Size);
}

// Windows calls back on another thread and some time later; so does this.
void tell(Registration& registration) {
  registration.tellers.emplace_back([&registration] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const Shared& memory = shared();
    if (memory.enabled == 0 || is_filtered_out() ||
        std::memcmp(&memory.provider, &registration.provider, sizeof(GUID)) != 0) {
      return;
    }
    registration.callback(&registration.provider, 1, memory.level, memory.keyword, 0, nullptr,
                          registration.context);
  });
}

bool registered_here(const GUID& provider) {
  const std::lock_guard lock(registrations_mutex);
  return std::any_of(registrations.begin(), registrations.end(), [&](const Registration* one) {
    return std::memcmp(&one->provider, &provider, sizeof provider) == 0;
  });
}

tailgate::etl::Guid portable(const GUID& guid) {
  tailgate::etl::Guid result;
  std::memcpy(result.bytes.data(), &guid, sizeof guid);
  return result;
}

// The sessions that QueryAllTracesW lists under dead_session, until they are stopped. No process
// has the first one's pid.
std::vector<std::wstring>& others() {
  static std::vector<std::wstring> names = {
      L"tailgate-2000000000-kernel",
      L"tailgate-" + std::to_wstring(GetCurrentProcessId()) + L"-other", L"NT Kernel Logger"};
  return names;
}

}  // namespace

extern "C" {

__declspec(dllexport) ULONG WINAPI
    StartTraceW(TRACEHANDLE* handle, LPCWSTR name, EVENT_TRACE_PROPERTIES* properties) {
  if (planted("access_denied")) return ERROR_ACCESS_DENIED;
  const bool taken = planted("name_taken") && !session.stale_stopped;
  if (!taken && (properties->LogFileMode & kSystemLogger) != 0) {
    return start_kernel(name, properties, handle);
  }
  if (taken || shared().running != 0) return ERROR_ALREADY_EXISTS;
  const bool is_private = (properties->LogFileMode & EVENT_TRACE_PRIVATE_LOGGER_MODE) != 0;
  if (is_private && !registered_here(properties->Wnode.Guid)) return ERROR_INVALID_PARAMETER;
  const Lock lock;
  session.records.clear();
  Shared& memory = shared();
  wcsncpy(memory.name, name, kNameUnits - 1);
  wcsncpy(memory.file, text_at(properties, properties->LogFileNameOffset), kNameUnits - 1);
  memory.asked = *properties;
  memory.started = counter();
  memory.events_lost = memory.log_buffers_lost = memory.realtime_buffers_lost = 0;
  memory.buffers_written = 0;
  memory.enabled = memory.stop_asked = 0;
  memory.current = {};
  memory.buffer_bytes = std::min<std::uint32_t>(properties->BufferSize * 1024, kBufferBytes);
  for (Buffer& buffer : memory.buffers) buffer.used = buffer.full = 0;
  memory.running = 1;
  session.writer = std::jthread(write_in_background);
  *handle = kSessionHandle;
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI ControlTraceW(TRACEHANDLE handle, LPCWSTR name,
                                                 EVENT_TRACE_PROPERTIES* properties, ULONG code) {
  if (handle == 0 && planted("name_taken") && code == EVENT_TRACE_CONTROL_STOP) {
    session.stale_stopped = true;
    return ERROR_SUCCESS;
  }
  if (handle == 0 && planted("dead_session") && code == EVENT_TRACE_CONTROL_STOP &&
      std::erase(others(), name) != 0) {
    return ERROR_SUCCESS;
  }
  if (is_kernel(handle, name)) return control_kernel(properties, code);
  Shared& memory = shared();
  const bool meant = handle == kSessionHandle || (handle == 0 && wcscmp(name, memory.name) == 0);
  if (!meant || memory.running == 0) return kInstanceNotFound;
  if (code == EVENT_TRACE_CONTROL_FLUSH) {
    const Lock lock;
    collect_records(true);
    const wchar_t* file = text_at(properties, properties->LogFileNameOffset);
    if (in_mode(EVENT_TRACE_BUFFERING_MODE)) write_files(file);
  }
  if (code == EVENT_TRACE_CONTROL_STOP && session.writer.joinable()) {
    session.writer = {};
    const Lock lock;
    finish_session();
    if (planted("stopped")) return kInstanceNotFound;
  } else if (code == EVENT_TRACE_CONTROL_STOP) {
    memory.stop_asked = 1;
    while (memory.running != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  describe(properties);
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI
    QueryAllTracesW(EVENT_TRACE_PROPERTIES** sessions, ULONG room, ULONG* count) {
  *count = planted("dead_session") ? static_cast<ULONG>(others().size()) : 0;
  for (ULONG i = 0; i < std::min(*count, room); ++i) {
    wcscpy(reinterpret_cast<wchar_t*>(reinterpret_cast<std::uint8_t*>(sessions[i]) +
                                      sessions[i]->LoggerNameOffset),
           others()[i].c_str());
  }
  return *count > room ? ERROR_MORE_DATA : ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI
    EnableTraceEx2(TRACEHANDLE, LPCGUID provider, ULONG code, UCHAR level, ULONGLONG keyword,
                   ULONGLONG, ULONG, ENABLE_TRACE_PARAMETERS* parameters) {
  if (planted("enable_fails")) return ERROR_INVALID_PARAMETER;
  Shared& memory = shared();
  if (code == EVENT_CONTROL_CODE_DISABLE_PROVIDER) {
    memory.enabled = 0;
    return ERROR_SUCCESS;
  }
  memory.provider = *provider;
  memory.level = level;
  memory.keyword = keyword;
  keep_filter(parameters);
  memory.enabled = 1;
  const std::lock_guard lock(registrations_mutex);
  for (Registration* registration : registrations) tell(*registration);
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI
    EventRegister(LPCGUID provider, PENABLECALLBACK callback, void* context, REGHANDLE* handle) {
  auto* const registration = new Registration{*provider, callback, context, {}, {}};
  const std::lock_guard lock(registrations_mutex);
  registrations.push_back(registration);
  tell(*registration);
  *handle = reinterpret_cast<REGHANDLE>(registration);
  return ERROR_SUCCESS;
}

__declspec(dllexport) ULONG WINAPI EventUnregister(REGHANDLE handle) {
  auto* const registration = reinterpret_cast<Registration*>(handle);
  {
    const std::lock_guard lock(registrations_mutex);
    std::erase(registrations, registration);
  }
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
  // What Windows does in EventWriteTransfer; providers of other processes hear of no later change.
  const bool keyword = memory.keyword == 0 || (descriptor->Keyword & memory.keyword) != 0;
  if (memory.enabled == 0 || descriptor->Level > memory.level || !keyword) return ERROR_SUCCESS;
  hold_up_call();
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
    // The metadata is in extended items: 11 is EVENT_SCHEMA_TL, 12 is PROV_TRAITS.
    if (pieces[i].Reserved == 1) event.extended.emplace_back(11, bytes);
    if (pieces[i].Reserved == 2) event.extended.emplace_back(12, bytes);
    if (pieces[i].Reserved == 0) {
      event.payload.insert(event.payload.end(), bytes.begin(), bytes.end());
    }
  }
  // Taken under the lock, so that the times within a buffer ascend.
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
