#include "providers/etw/testing/stand_in_kernel_windows.h"

#include <x86intrin.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "providers/etw/etl/testing/trace_writer.h"

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
  std::uint32_t starter = 0;  // thread
};
KernelSession session;

std::int64_t session_clock() {
  return session.asked.Wnode.ClientContext == kCycleCounter ? static_cast<std::int64_t>(__rdtsc())
                                                            : counter();
}

std::uint32_t events_lost() {
  return planted("kernel_events_lost") ? 2 : 0;
}

etl::WriterOptions writer_options() {
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

void write_file() {
  const std::int64_t ended = session_clock();
  const std::int64_t middle = session.started + (ended - session.started) / 2;
  etl::TraceWriter writer(writer_options());
  writer.add(0, etl::context_switch_record(session.started, session.starter, 0));
  etl::KernelRecord dpc;
  dpc.hook_id = 0x0F44;
  dpc.time = middle;
  dpc.payload =
      etl::ByteBuilder().u64(static_cast<std::uint64_t>(middle - 100)).u64(0xF0000000).bytes();
  writer.add(0, etl::perf_info_record(dpc));
  writer.add(0, etl::context_switch_record(ended, 0, session.starter));
  writer.flush_all();
  const std::vector<std::uint8_t> bytes = writer.file();
  std::ofstream(session.file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void describe(EVENT_TRACE_PROPERTIES* properties) {
  properties->NumberOfBuffers = planted("no_buffers") ? 0 : kBuffersGranted;
  properties->EnableFlags = session.asked.EnableFlags;
  if (planted("kernel_no_dpc")) properties->EnableFlags &= ~ULONG{EVENT_TRACE_FLAG_DPC};
  properties->EventsLost = events_lost();
}

}  // namespace

ULONG start_kernel(const wchar_t* name, const EVENT_TRACE_PROPERTIES* properties,
                   TRACEHANDLE* handle) {
  if (session.running) return ERROR_ALREADY_EXISTS;
  session.running = true;
  session.name = name;
  session.file = text_at(properties, properties->LogFileNameOffset);
  session.asked = *properties;
  session.started = session_clock();
  session.starter = GetCurrentThreadId();
  *handle = kKernelHandle;
  return ERROR_SUCCESS;
}

bool is_kernel(TRACEHANDLE handle, const wchar_t* name) {
  return session.running && (handle == kKernelHandle || (handle == 0 && session.name == name));
}

ULONG control_kernel(EVENT_TRACE_PROPERTIES* properties, ULONG code) {
  describe(properties);
  if (code != EVENT_TRACE_CONTROL_STOP) return ERROR_SUCCESS;
  session.running = false;
  write_file();
  return planted("stopped") ? kInstanceNotFound : ERROR_SUCCESS;
}

}  // namespace tailgate::etw::stand_in

// What the last session was asked for.
extern "C" __declspec(dllexport) const EVENT_TRACE_PROPERTIES* kernel_session_asked() {
  return &tailgate::etw::stand_in::session.asked;
}
