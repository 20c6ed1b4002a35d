// The calls of Event Tracing for Windows that the sink makes, by way of a table: filled from
// Windows' own library, or from one that stands in for it in tests (providers/etw/testing).
#pragma once

#include <string>

#include "harness/base/api_windows.h"

// After windows.h, whose types they need.
#include <evntcons.h>
#include <evntprov.h>
#include <evntrace.h>

namespace tailgate::etw {

struct Api {
  decltype(&::StartTraceW) start_trace;
  decltype(&::ControlTraceW) control_trace;
  decltype(&::QueryAllTracesW) query_all_traces;
  decltype(&::EnableTraceEx2) enable_trace;
  decltype(&::OpenTraceW) open_trace;
  decltype(&::ProcessTrace) process_trace;
  decltype(&::CloseTrace) close_trace;
  decltype(&::EventRegister) event_register;
  decltype(&::EventUnregister) event_unregister;
  // EVENT_INFO_CLASS ends at 0 in mingw-w64 10, so the class is a number.
  ULONG(WINAPI* event_set_information)(REGHANDLE, ULONG, void*, ULONG);
  decltype(&::EventWriteTransfer) event_write;
};

// Environment variable that names the library; for tests. It reaches the provider process, too.
inline constexpr const char* kLibraryVariable = "TAILGATE_ETW_LIBRARY";

// Loaded once. Throws Error when the library or one of its functions is not there.
const Api& api();

// Whether a library stands in for Windows' own.
bool stands_in();

}  // namespace tailgate::etw
