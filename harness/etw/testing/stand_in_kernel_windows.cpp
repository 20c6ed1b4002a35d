#include "harness/etw/testing/stand_in_kernel_windows.h"

#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "harness/etl/testing/trace_writer.h"

namespace tailgate::etw::stand_in {
namespace {

constexpr TRACEHANDLE kFirstKernelHandle = 0x4B00;
constexpr std::size_t kKernelSessions = 8;  // system loggers that Windows runs at once
constexpr ULONG kBuffersGranted = 64;
constexpr ULONG kCycleCounter = 3;

struct KernelSession {
  bool running = false;
  std::wstring name;
  std::filesystem::path file;
  EVENT_TRACE_PROPERTIES asked = {};
  std::int64_t started = 0;
  std::uint32_t starter = 0;  // the thread that started it
  std::vector<CLASSIC_EVENT_ID> stacks;
};
std::array<KernelSession, kKernelSessions> kernel_sessions;
EVENT_TRACE_PROPERTIES last_asked = {};
ULONG profile_interval = kUsualProfileInterval;

bool any_runs() {
  return std::any_of(kernel_sessions.begin(), kernel_sessions.end(),
                     [](const KernelSession& one) { return one.running; });
}

KernelSession* session_at(TRACEHANDLE handle, const wchar_t* name) {
  for (KernelSession& one : kernel_sessions) {
    const TRACEHANDLE own =
        kFirstKernelHandle + static_cast<TRACEHANDLE>(&one - &kernel_sessions[0]);
    if (one.running && (handle == own || (handle == 0 && one.name == name))) return &one;
  }
  return nullptr;
}

using Records = std::multimap<std::int64_t, std::vector<std::uint8_t>>;  // by time

ULONG granted_flags(const KernelSession& session) {
  const ULONG asked = session.asked.EnableFlags;
  return planted("kernel_no_dpc") ? asked & ~ULONG{EVENT_TRACE_FLAG_DPC} : asked;
}

std::int64_t clock_now(ULONG clock) {
  return clock == kCycleCounter ? static_cast<std::int64_t>(__rdtsc()) : counter();
}

std::uint32_t events_lost() {
  return planted("kernel_events_lost") ? 2 : 0;
}

etl::WriterOptions writer_options(const KernelSession& session) {
  LARGE_INTEGER hz;
  QueryPerformanceFrequency(&hz);
  etl::WriterOptions options;
  options.buffer_bytes = session.asked.BufferSize * 1024;
  options.mode = session.asked.LogFileMode;
  options.processors = kProcessors;
  options.start_raw = session.started;
  options.clock_hz = hz.QuadPart;
  options.clock_type = session.asked.Wnode.ClientContext;
  options.events_lost = events_lost();
  return options;
}

std::vector<std::uint8_t> dpc_record(std::int64_t time) {
  etl::KernelRecord dpc;
  dpc.hook_id = 0x0F44;
  dpc.time = time;
  dpc.payload =
      etl::ByteBuilder().u64(static_cast<std::uint64_t>(time - 100)).u64(0xF0000000).bytes();
  return etl::perf_info_record(dpc);
}

bool has_flag(const KernelSession& session, ULONG flag) {
  return (granted_flags(session) & flag) != 0;
}

// The entry of a system call (0F33), with the address of its code.
std::vector<std::uint8_t> system_call_record(std::int64_t time) {
  etl::KernelRecord entry;
  entry.hook_id = 0x0F33;
  entry.time = time;
  entry.payload = etl::ByteBuilder().u64(0xF0000100).bytes();
  return etl::perf_info_record(entry);
}

// Of threads that are never switched: an explanation would look for their exits.
void add_system_calls(std::int64_t began, std::int64_t ended, Records& records) {
  for (std::int64_t i = 1; i <= kSystemCalls; ++i) {
    const std::int64_t time = began + (ended - began) / (kSystemCalls + 1) * i;
    records.emplace(time, system_call_record(time));
  }
}

// The library in which this code is.
HMODULE this_library() {
  HMODULE library = nullptr;
  GetModuleHandleExW(
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
      reinterpret_cast<const wchar_t*>(&this_library), &library);
  return library;
}

// An instruction of a function that this library exports.
std::uint64_t sampled_address() {
  return reinterpret_cast<std::uint64_t>(
             reinterpret_cast<void*>(GetProcAddress(this_library(), "EventWriteTransfer"))) +
         4;
}

// The library as an image of this process (140A), by the path that the kernel knows it by.
std::vector<std::uint8_t> image_record(std::int64_t time) {
  const auto base = reinterpret_cast<std::uint64_t>(this_library());
  const auto* const dos = reinterpret_cast<const IMAGE_DOS_HEADER*>(base);
  const auto* const pe =
      reinterpret_cast<const IMAGE_NT_HEADERS64*>(base + static_cast<std::uint64_t>(dos->e_lfanew));
  std::array<wchar_t, MAX_PATH> path{};
  GetModuleFileNameW(this_library(), path.data(), MAX_PATH);
  std::array<wchar_t, MAX_PATH> device{};
  const std::wstring drive(path.data(), 2);
  if (QueryDosDeviceW(drive.c_str(), device.data(), MAX_PATH) == 0) device[0] = 0;
  etl::ByteBuilder b;
  b.u64(base).u64(pe->OptionalHeader.SizeOfImage).u32(GetCurrentProcessId()).zeros(12).u64(base);
  b.zeros(16).text16(narrow(device.data()) + narrow(path.data() + (device[0] == 0 ? 0 : 2)));
  etl::KernelRecord image;
  image.hook_id = 0x030A;
  image.time = time;
  image.payload = b.bytes();
  return etl::perf_info_record(image);
}

// Samples (0F2E): InstructionPointer, ThreadId, Count, Reserved.
void add_samples(std::int64_t began, std::int64_t ended, std::uint32_t thread, Records& records) {
  for (std::int64_t i = 1; i <= kSamples; ++i) {
    etl::KernelRecord sample;
    sample.hook_id = 0x0F2E;
    sample.time = began + (ended - began) / (kSamples + 1) * i;
    sample.payload = etl::ByteBuilder().u64(sampled_address()).u32(thread).u16(1).u16(0).bytes();
    records.emplace(sample.time, etl::perf_info_record(sample));
  }
}

// The session's records by time. States: 1 Ready, 5 Waiting. Wait reasons: 11 WrDelayExecution, 15
// WrQueue, 32 WrPreempted.
Records session_records(const KernelSession& session, std::int64_t ended) {
  const Shared& memory = shared();
  const std::uint32_t thread = memory.load_thread != 0 ? memory.load_thread : session.starter;
  Records records;
  const auto switched = [&](std::int64_t time, std::uint32_t to, std::uint32_t from,
                            std::uint8_t state, std::uint8_t reason) {
    if (!has_flag(session, EVENT_TRACE_FLAG_CSWITCH)) return;
    records.emplace(time, etl::context_switch_record(time, to, from, state, reason));
  };
  switched(session.started, thread, 0, 1, 0);
  if (memory.slept.end != 0) {
    switched(memory.slept.begin, 0, thread, 5, 11);
    switched(memory.slept.end, thread, 0, 1, 0);
  }
  if (memory.preempted.end != 0) {
    switched(memory.preempted.begin, kPreemptor, thread, 1, 32);
    switched(memory.preempted.end, thread, kPreemptor, 5, 15);
  }
  const std::int64_t middle = session.started + (ended - session.started) / 2;
  if (has_flag(session, EVENT_TRACE_FLAG_DPC)) records.emplace(middle, dpc_record(middle));
  if (has_flag(session, EVENT_TRACE_FLAG_SYSTEMCALL) &&
      !has_flag(session, EVENT_TRACE_FLAG_CSWITCH)) {
    add_system_calls(session.started, ended, records);
  }
  switched(ended, 0, thread, 5, 0);
  if (has_flag(session, EVENT_TRACE_FLAG_PROFILE)) {
    add_samples(session.started, ended, thread, records);
    if (has_flag(session, EVENT_TRACE_FLAG_IMAGE_LOAD)) {
      records.emplace(session.started, image_record(session.started));
    }
  }
  return records;
}

constexpr std::size_t kHookAt = 6;  // in PERFINFO_TRACE_HEADER
constexpr std::size_t kPayloadAt = 16;
constexpr std::uint8_t kThreadGroup = 0x05;
constexpr std::uint8_t kPerfInfoGroup = 0x0F;

// Whether stacks are asked for of the record's kind; of those of session_records().
bool has_stack(const KernelSession& session, const std::vector<std::uint8_t>& record) {
  constexpr GUID kThread = {
      0x3d6fa8d1, 0xfe05, 0x11d0, {0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c}};
  constexpr GUID kPerfInfo = {
      0xce1dbfb4, 0x137e, 0x4da6, {0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc}};
  const std::uint8_t type = record[kHookAt];
  const std::uint8_t group = record[kHookAt + 1];
  return std::any_of(session.stacks.begin(), session.stacks.end(),
                     [&](const CLASSIC_EVENT_ID& event) {
                       const bool same_class =
                           (group == kThreadGroup && IsEqualGUID(event.EventGuid, kThread)) ||
                           (group == kPerfInfoGroup && IsEqualGUID(event.EventGuid, kPerfInfo));
                       return same_class && event.Type == type;
                     });
}

// A context switch's stack is that of the thread that is switched in, whose id comes first; a
// sample's thread comes behind the address, with which its stack begins.
std::vector<std::uint8_t> stack_of(std::int64_t time, const std::vector<std::uint8_t>& record) {
  const bool sampled = record[kHookAt + 1] == kPerfInfoGroup;
  std::uint32_t thread = 0;
  std::memcpy(&thread, &record[kPayloadAt + (sampled ? 8 : 0)], sizeof thread);
  etl::ByteBuilder payload;
  payload.u64(static_cast<std::uint64_t>(time)).u32(GetCurrentProcessId()).u32(thread);
  if (sampled) {
    payload.u64(sampled_address()).u64(kStackFrames[1]);
  } else {
    for (const std::uint64_t frame : kStackFrames) payload.u64(frame);
  }
  etl::KernelRecord stack;
  stack.hook_id = 0x1820;
  stack.time = time;
  stack.payload = payload.bytes();
  return etl::perf_info_record(stack);
}

void write_file(const KernelSession& session) {
  etl::TraceWriter writer(writer_options(session));
  for (const auto& [time, record] :
       session_records(session, clock_now(session.asked.Wnode.ClientContext))) {
    writer.add(0, record);
    if (has_stack(session, record)) writer.add(0, stack_of(time, record));
  }
  writer.flush_all();
  const std::vector<std::uint8_t> bytes = writer.file();
  std::ofstream(session.file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void describe_kernel(const KernelSession& session, EVENT_TRACE_PROPERTIES* properties) {
  properties->NumberOfBuffers = planted("no_buffers") ? 0 : kBuffersGranted;
  properties->EnableFlags = granted_flags(session);
  properties->EventsLost = events_lost();
}

}  // namespace

ULONG start_kernel(const wchar_t* name, const EVENT_TRACE_PROPERTIES* properties,
                   TRACEHANDLE* handle) {
  if (session_at(0, name) != nullptr) return ERROR_ALREADY_EXISTS;
  const auto place = std::find_if(kernel_sessions.begin(), kernel_sessions.end(),
                                  [](const KernelSession& one) { return !one.running; });
  if (place == kernel_sessions.end()) return ERROR_NO_SYSTEM_RESOURCES;
  Shared& memory = shared();
  if (!any_runs()) {
    memory.load_thread = 0;
    memory.slept = memory.preempted = {};
    memory.kernel_events = 0;
    memory.kernel_clock = properties->Wnode.ClientContext;
  }
  place->running = true;
  place->name = name;
  place->file = text_at(properties, properties->LogFileNameOffset);
  place->asked = last_asked = *properties;
  place->started = clock_now(properties->Wnode.ClientContext);
  place->starter = GetCurrentThreadId();
  place->stacks.clear();
  *handle = kFirstKernelHandle + static_cast<TRACEHANDLE>(place - kernel_sessions.begin());
  return ERROR_SUCCESS;
}

bool is_kernel(TRACEHANDLE handle, const wchar_t* name) {
  return session_at(handle, name) != nullptr;
}

ULONG control_kernel(TRACEHANDLE handle, const wchar_t* name, EVENT_TRACE_PROPERTIES* properties,
                     ULONG code) {
  KernelSession& session = *session_at(handle, name);
  describe_kernel(session, properties);
  if (code != EVENT_TRACE_CONTROL_STOP) return ERROR_SUCCESS;
  session.running = false;
  if (!any_runs()) shared().kernel_clock = 0;
  write_file(session);
  return planted("stopped") ? kInstanceNotFound : ERROR_SUCCESS;
}

ULONG set_kernel_stacks(TRACEHANDLE handle, const CLASSIC_EVENT_ID* events, ULONG bytes) {
  if (bytes % sizeof *events != 0) return ERROR_BAD_LENGTH;
  if (planted("stacks_refused")) return ERROR_INVALID_PARAMETER;
  session_at(handle, L"")->stacks.assign(events, events + bytes / sizeof *events);
  return ERROR_SUCCESS;
}

ULONG set_profile_interval(const TRACE_PROFILE_INTERVAL& interval) {
  profile_interval = std::max(interval.Interval, kShortestProfileInterval);
  return ERROR_SUCCESS;
}

ULONG get_profile_interval(TRACE_PROFILE_INTERVAL& interval) {
  interval.Interval = profile_interval;
  return ERROR_SUCCESS;
}

void hold_up_call() {
  Shared& memory = shared();
  const ULONG clock = memory.kernel_clock;
  if (clock == 0 || !planted("slow_calls")) return;
  const std::uint32_t event = memory.kernel_events++;
  if (event != kSleepsInEvent && event != kPreemptedInEvent) return;
  Gap& gap = event == kSleepsInEvent ? memory.slept : memory.preempted;
  memory.load_thread = GetCurrentThreadId();
  gap.begin = clock_now(clock);
  Sleep(kGapMs);
  gap.end = clock_now(clock);
}

}  // namespace tailgate::etw::stand_in

// The properties with which the last session was started.
extern "C" __declspec(dllexport) const EVENT_TRACE_PROPERTIES* kernel_session_asked() {
  return &tailgate::etw::stand_in::last_asked;
}
