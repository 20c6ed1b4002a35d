// A table of the Event Tracing functions that the sink calls. It is filled from Windows' own
// library, or in tests from a stand-in library (harness/etw/testing).
#pragma once

#include <string>

#include "harness/os/api_windows.h"

// Include these after windows.h, whose types they need.
#include <evntcons.h>
#include <evntprov.h>
#include <evntrace.h>

namespace tailgate::etw {

struct Api {
  decltype(&::StartTraceW) start_trace;
  decltype(&::ControlTraceW) control_trace;
  decltype(&::QueryAllTracesW) query_all_traces;
  decltype(&::TraceSetInformation) trace_set_information;
  decltype(&::TraceQueryInformation) trace_query_information;  // null: not there
  decltype(&::EnableTraceEx2) enable_trace;
  decltype(&::OpenTraceW) open_trace;
  decltype(&::ProcessTrace) process_trace;
  decltype(&::CloseTrace) close_trace;
  decltype(&::EventRegister) event_register;
  decltype(&::EventUnregister) event_unregister;
  // The class is passed as a number, because EVENT_INFO_CLASS of mingw-w64 10 has no value above 0.
  ULONG(WINAPI* event_set_information)(REGHANDLE, ULONG, void*, ULONG);
  decltype(&::EventWriteTransfer) event_write;
};

// The environment variable with the path of the stand-in library; for tests. The provider process
// inherits it.
inline constexpr const char* kLibraryVariable = "TAILGATE_ETW_LIBRARY";

// Loads the table on the first call. Throws Error when the library or a function is missing.
const Api& api();

// Whether a stand-in library is in use.
bool stands_in();

}  // namespace tailgate::etw
