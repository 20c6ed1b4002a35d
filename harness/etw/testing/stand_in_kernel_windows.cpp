#include "harness/etw/testing/stand_in_kernel_windows.h"

#include <x86intrin.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "harness/etl/testing/trace_writer.h"

namespace tailgate::etw::stand_in {
namespace {

constexpr TRACEHANDLE kKernelHandle = 9;
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
KernelSession kernel_session;

using Records = std::multimap<std::int64_t, std::vector<std::uint8_t>>;  // by time

ULONG granted_flags() {
  const ULONG asked = kernel_session.asked.EnableFlags;
  return planted("kernel_no_dpc") ? asked & ~ULONG{EVENT_TRACE_FLAG_DPC} : asked;
}

std::int64_t clock_now(ULONG clock) {
  return clock == kCycleCounter ? static_cast<std::int64_t>(__rdtsc()) : counter();
}

std::uint32_t events_lost() {
  return planted("kernel_events_lost") ? 2 : 0;
}

etl::WriterOptions writer_options() {
  LARGE_INTEGER hz;
  QueryPerformanceFrequency(&hz);
  etl::WriterOptions options;
  options.buffer_bytes = kernel_session.asked.BufferSize * 1024;
  options.mode = kernel_session.asked.LogFileMode;
  options.processors = kProcessors;
  options.start_raw = kernel_session.started;
  options.clock_hz = hz.QuadPart;
  options.clock_type = kernel_session.asked.Wnode.ClientContext;
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

bool has_flag(ULONG flag) {
  return (granted_flags() & flag) != 0;
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

// The session's records by time. States: 1 Ready, 5 Waiting. Wait reasons: 11 WrDelayExecution, 15
// WrQueue, 32 WrPreempted.
Records session_records(std::int64_t ended) {
  const Shared& memory = shared();
  const std::uint32_t thread =
      memory.load_thread != 0 ? memory.load_thread : kernel_session.starter;
  Records records;
  const auto switched = [&](std::int64_t time, std::uint32_t to, std::uint32_t from,
                            std::uint8_t state, std::uint8_t reason) {
    if (!has_flag(EVENT_TRACE_FLAG_CSWITCH)) return;
    records.emplace(time, etl::context_switch_record(time, to, from, state, reason));
  };
  switched(kernel_session.started, thread, 0, 1, 0);
  if (memory.slept.end != 0) {
    switched(memory.slept.begin, 0, thread, 5, 11);
    switched(memory.slept.end, thread, 0, 1, 0);
  }
  if (memory.preempted.end != 0) {
    switched(memory.preempted.begin, kPreemptor, thread, 1, 32);
    switched(memory.preempted.end, thread, kPreemptor, 5, 15);
  }
  const std::int64_t middle = kernel_session.started + (ended - kernel_session.started) / 2;
  if (has_flag(EVENT_TRACE_FLAG_DPC)) records.emplace(middle, dpc_record(middle));
  if (has_flag(EVENT_TRACE_FLAG_SYSTEMCALL) && !has_flag(EVENT_TRACE_FLAG_CSWITCH)) {
    add_system_calls(kernel_session.started, ended, records);
  }
  switched(ended, 0, thread, 5, 0);
  return records;
}

// Whether stacks are asked for of the record's kind; of those of session_records().
bool has_stack(const std::vector<std::uint8_t>& record) {
  constexpr std::size_t kHookAt = 6;  // in PERFINFO_TRACE_HEADER
  constexpr GUID kThread = {
      0x3d6fa8d1, 0xfe05, 0x11d0, {0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c}};
  constexpr std::uint8_t kThreadGroup = 5;
  const std::uint8_t type = record[kHookAt];
  return record[kHookAt + 1] == kThreadGroup &&
         std::any_of(kernel_session.stacks.begin(), kernel_session.stacks.end(),
                     [&](const CLASSIC_EVENT_ID& event) {
                       return IsEqualGUID(event.EventGuid, kThread) && event.Type == type;
                     });
}

// A context switch's stack is that of the thread that is switched in, whose id comes first.
std::vector<std::uint8_t> stack_of_switch(std::int64_t time,
                                          const std::vector<std::uint8_t>& record) {
  constexpr std::size_t kPayloadAt = 16;
  std::uint32_t thread = 0;
  std::memcpy(&thread, &record[kPayloadAt], sizeof thread);
  etl::ByteBuilder payload;
  payload.u64(static_cast<std::uint64_t>(time)).u32(GetCurrentProcessId()).u32(thread);
  for (const std::uint64_t frame : kStackFrames) payload.u64(frame);
  etl::KernelRecord stack;
  stack.hook_id = 0x1820;
  stack.time = time;
  stack.payload = payload.bytes();
  return etl::perf_info_record(stack);
}

void write_file() {
  etl::TraceWriter writer(writer_options());
  for (const auto& [time, record] :
       session_records(clock_now(kernel_session.asked.Wnode.ClientContext))) {
    writer.add(0, record);
    if (has_stack(record)) writer.add(0, stack_of_switch(time, record));
  }
  writer.flush_all();
  const std::vector<std::uint8_t> bytes = writer.file();
  std::ofstream(kernel_session.file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void describe_kernel(EVENT_TRACE_PROPERTIES* properties) {
  properties->NumberOfBuffers = planted("no_buffers") ? 0 : kBuffersGranted;
  properties->EnableFlags = granted_flags();
  properties->EventsLost = events_lost();
}

}  // namespace

ULONG start_kernel(const wchar_t* name, const EVENT_TRACE_PROPERTIES* properties,
                   TRACEHANDLE* handle) {
  if (kernel_session.running) return ERROR_ALREADY_EXISTS;
  kernel_session.running = true;
  kernel_session.name = name;
  kernel_session.file = text_at(properties, properties->LogFileNameOffset);
  kernel_session.asked = *properties;
  kernel_session.started = clock_now(properties->Wnode.ClientContext);
  kernel_session.starter = GetCurrentThreadId();
  kernel_session.stacks.clear();
  Shared& memory = shared();
  memory.load_thread = 0;
  memory.slept = memory.preempted = {};
  memory.kernel_events = 0;
  memory.kernel_clock = properties->Wnode.ClientContext;
  *handle = kKernelHandle;
  return ERROR_SUCCESS;
}

bool is_kernel(TRACEHANDLE handle, const wchar_t* name) {
  return kernel_session.running &&
         (handle == kKernelHandle || (handle == 0 && kernel_session.name == name));
}

ULONG control_kernel(EVENT_TRACE_PROPERTIES* properties, ULONG code) {
  describe_kernel(properties);
  if (code != EVENT_TRACE_CONTROL_STOP) return ERROR_SUCCESS;
  kernel_session.running = false;
  shared().kernel_clock = 0;
  write_file();
  return planted("stopped") ? kInstanceNotFound : ERROR_SUCCESS;
}

ULONG set_kernel_stacks(const CLASSIC_EVENT_ID* events, ULONG bytes) {
  if (bytes % sizeof *events != 0) return ERROR_BAD_LENGTH;
  if (planted("stacks_refused")) return ERROR_INVALID_PARAMETER;
  kernel_session.stacks.assign(events, events + bytes / sizeof *events);
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
  return &tailgate::etw::stand_in::kernel_session.asked;
}
